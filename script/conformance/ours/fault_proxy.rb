# frozen_string_literal: true

# A TCP proxy that delays, cuts and refuses connections when it is told to, with as much of
# Toxiproxy's HTTP interface as suites use: `ruby fault_proxy.rb -port PORT`.

require "json"
require "socket"

module FaultProxy
  # One way through one connection, with the faults of this moment.
  class Stream
    CHUNK = 16_384

    def initialize(from, to, faults)
      @from = from
      @to = to
      @faults = faults
      @passed = Hash.new(0).compare_by_identity # since each fault began
    end

    def call
      loop { pass(@from.readpartial(CHUNK)) }
    rescue SystemCallError, IOError
      nil
    ensure
      [@from, @to].each(&:close)
    end

    private

    def pass(data)
      @faults.call.each do |fault|
        amount = fault["attributes"].each_value.first
        case fault["type"]
        when "latency" then sleep(amount / 1000.0)
        when "timeout" then stall(amount)
        when "limit_data" then limit(fault, data, amount)
        else raise NotImplementedError, fault.to_s
        end
      end
      @to.write(data)
    end

    # Writes so many bytes, and ends.
    def limit(fault, data, most)
      left = most - @passed[fault]
      @passed[fault] += data.bytesize
      return if data.bytesize < left

      @to.write(data[0, left])
      raise EOFError
    end

    # Nothing goes through until its end (0: none) or that of the fault, which end the connection.
    def stall(milliseconds)
      give_up = now + (milliseconds.zero? ? Float::INFINITY : milliseconds / 1000.0)
      sleep(0.01) while now < give_up && @faults.call.any? { |fault| fault["type"] == "timeout" }
      raise EOFError
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # One port that leads to another.
  class Proxy
    attr_reader :faults

    def initialize(attributes)
      @name, @listen, @upstream = attributes.values_at("name", "listen", "upstream")
      @faults = []
      @sockets = Queue.new
      enable unless attributes["enabled"] == false
    end

    def to_h
      {name: @name, listen: @listen, upstream: @upstream, enabled: !@server.nil?, toxics: @faults}
    end

    def add(fault) = @faults += [fault]

    def remove(name) = @faults = @faults.reject { |fault| fault["name"] == name }

    def enable
      return if @server

      @server = TCPServer.new("127.0.0.1", @listen[/\d+\z/].to_i)
      Thread.new(@server) { |server| serve(server) }
    end

    def disable
      @server&.close
      @server = nil
      close_sockets
    end

    private

    # Until it is closed, which may be between the accept and the connection.
    def serve(server)
      loop do
        connect(server.accept)
        close_sockets if server.closed?
      end
    rescue IOError
      nil
    end

    def close_sockets = (@sockets.pop.close until @sockets.empty?)

    def connect(client)
      @sockets << client
      upstream = TCPSocket.new("127.0.0.1", @upstream[/\d+\z/].to_i)
      @sockets << upstream
      [[client, upstream, "upstream"], [upstream, client, "downstream"]].each do |from, to, way|
        from.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
        faults = -> { @faults.select { |fault| fault["stream"] == way } }
        Thread.new { Stream.new(from, to, faults).call }
      end
    rescue SystemCallError
      client.close
    end
  end

  # Lists the proxies, and their faults.
  class Control
    Answer = Struct.new(:status, :body)

    def initialize(port)
      @server = TCPServer.new("127.0.0.1", port)
      @proxies = {}
    end

    def call = loop { Thread.new(@server.accept) { |client| serve(client) } }

    private

    def serve(client)
      while (method, path = client.gets&.split) && path
        length = client.gets("\r\n\r\n")[/^content-length: *(\d+)/i, 1].to_i
        body = client.read(length)
        answer = route(method, path, body.empty? ? nil : JSON.parse(body))
        text = answer.body ? JSON.generate(answer.body) : ""
        client.write("HTTP/1.1 #{answer.status} -\r\nContent-Length: " \
          "#{text.bytesize}\r\n\r\n#{text}")
      end
    rescue SystemCallError, IOError
      nil
    ensure
      client.close
    end

    def route(method, path, body)
      case [method, *path.split("/").drop(1)]
      in ["GET", "version"] then Answer.new(200, {version: "2"})
      in ["POST", "reset"] then reset
      in ["POST", "populate"] then Answer.new(201, {proxies: body.map { |one| create(one).to_h }})
      in ["GET", "proxies"] then Answer.new(200, @proxies.transform_values(&:to_h))
      in ["POST", "proxies"] then Answer.new(201, create(body).to_h)
      in [_, "proxies", name, *rest] if @proxies[name] then one(method, @proxies[name], rest, body)
      else Answer.new(404)
      end
    end

    def one(method, proxy, rest, body)
      case [method, *rest]
      in ["POST"] then body["enabled"] ? proxy.enable : proxy.disable
      in ["DELETE"] then proxy.disable || @proxies.delete(proxy.to_h[:name])
      in ["POST", "toxics"] then proxy.add(body)
      in ["DELETE", "toxics", name] then proxy.remove(name)
      in ["GET", *] then nil
      end
      Answer.new(200, (rest == ["toxics"]) ? toxics(method, proxy) : proxy.to_h)
    end

    # All of them, or the one that has just been added.
    def toxics(method, proxy) = (method == "GET") ? proxy.faults : proxy.faults.last

    def create(attributes)
      name = attributes["name"]
      @proxies[name]&.disable
      @proxies[name] = Proxy.new(attributes)
    end

    def reset
      @proxies.each_value do |proxy|
        proxy.enable
        proxy.faults.each { |fault| proxy.remove(fault["name"]) }
      end
      Answer.new(204)
    end
  end
end

FaultProxy::Control.new(Integer(ARGV[ARGV.index("-port") + 1])).call
