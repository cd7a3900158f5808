# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "raffia/actor"
require "raffia/server"
require "net/http"
require "openssl"
require "tmpdir"

# Programs and libraries that know nothing of the simulation talk over its network.
class SimulationNetworkProgramsTest < Raffia::TestCase
  def test_net_http_and_raffias_server
    app = lambda do |env|
      [200, {"content-type" => "text/plain"}, ["#{env["REMOTE_ADDR"]} #{env["PATH_INFO"]}"]]
    end
    in_world do |sim|
      sim.host("web") { Raffia::Server.start(app, host: "0.0.0.0", port: 80) { sleep } }
      sim.settle
      bodies = Net::HTTP.start("web", 80) { |http| %w[/a /b].map { |path| http.get(path).body } }
      assert_equal ["10.0.0.1 /a", "10.0.0.1 /b"], bodies
      assert_in_delta 0.006, sim.now
    end
  end

  def test_a_client_retries_while_the_server_restarts
    app = ->(_) { [200, {}, ["up"]] }
    in_world do |sim|
      sim.host("web", restart: 2) do
        Raffia::Server.start(app, host: "0.0.0.0", port: 80) { sleep }
      end
      sim.settle
      Net::HTTP.start("web", 80, max_retries: 0) do |http|
        assert_equal "up", http.get("/").body
        sim.crash("web")
        assert_raises(Errno::ECONNRESET, EOFError, Errno::EPIPE) { http.get("/") }
      end
      assert_raises(Errno::ECONNREFUSED) { Net::HTTP.get(URI("http://web/")) }
      sim.sleep(3)
      assert_equal "up", Net::HTTP.get(URI("http://web/"))
    end
  end

  def test_the_date_of_responses_is_that_of_the_servers_host
    app = ->(_) { [200, {}, []] }
    dates = []
    get = -> { dates << Net::HTTP.get_response("web", "/", 80)["date"] }
    Raffia::Simulation.run(start: Time.utc(2038, 1, 19, 3, 14, 7)) do |sim|
      sim.host("web") { Raffia::Server.start(app, host: "0.0.0.0", port: 80) { sleep } }
      sim.settle
      get.call
      sim.sleep(60)
      get.call
      sim.clock_step("web", -3_600)
      get.call
    end
    assert_equal ["Tue, 19 Jan 2038 03:14:07 GMT", "Tue, 19 Jan 2038 03:15:07 GMT",
      "Tue, 19 Jan 2038 02:15:07 GMT"], dates
  end

  def test_the_date_of_responses_is_the_real_one_after_a_simulation
    in_world { nil }
    Raffia::Server.start(->(_) { [200, {}, []] }, port: 0, logger: Logger.new(nil)) do |server|
      date = Net::HTTP.get_response(URI(server.url))["date"]
      assert_in_delta Time.now, Time.httpdate(date), 60
    end
  end

  def test_an_open_timeout_of_net_http
    in_world do |sim|
      sim.host("web") { sleep }
      sim.partition("web")
      http = Net::HTTP.new("web", 80)
      http.open_timeout = 3
      assert_raises(Net::OpenTimeout) { http.start }
      assert_in_delta 3, sim.now
    end
  end

  def test_a_read_timeout_of_net_http
    in_world do |sim|
      sim.host("web") do
        server = TCPServer.new("0.0.0.0", 80)
        loop { server.accept.gets }
      end
      sim.settle
      http = Net::HTTP.new("web", 80)
      http.read_timeout = 5
      http.max_retries = 0
      assert_raises(Net::ReadTimeout) { http.get("/") }
      assert_in_delta 5, sim.now, 0.01
    end
  end

  def test_tls
    in_world do |sim|
      sim.host("web") do
        server = OpenSSL::SSL::SSLServer.new(TCPServer.new("0.0.0.0", 443), context)
        loop do
          Thread.new(server.accept) do |socket|
            socket.puts("echo #{socket.gets}")
            socket.close
          end
        end
      end
      sim.settle
      socket = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("web", 443))
      socket.sync_close = true
      socket.connect
      socket.puts("hi")
      assert_equal "echo hi\n", socket.gets
      socket.close
    end
  end

  def test_redis_client
    require "redis-client"
    in_world do |sim|
      sim.host("redis") { serve_resp }
      sim.settle
      config = RedisClient.config(host: "redis", reconnect_attempts: 1, timeout: 2)
      redis = config.new_client
      assert_equal "OK", redis.call("SET", "a", "1")
      assert_equal "1", redis.call("GET", "a")
      sim.reset("main", "redis")
      assert_equal "1", redis.call("GET", "a")
      sim.partition("redis")
      assert_raises(RedisClient::ConnectionError) { redis.call("GET", "a") }
      redis.close
    end
  end

  def test_fibers_of_raffia
    in_world do |sim|
      sim.host("echo") do
        server = TCPServer.new("0.0.0.0", 7)
        Raffia.run do |scope|
          loop do
            socket = server.accept
            scope.spawn do
              socket.puts(socket.gets)
              socket.close
            end
          end
        end
      end
      sim.settle
      answers = Raffia.run do |scope|
        tasks = Array.new(5) do |index|
          scope.spawn do
            TCPSocket.open("echo", 7) do |socket|
              socket.puts(index)
              socket.gets.to_i
            end
          end
        end
        tasks.map(&:value)
      end
      assert_equal (0..4).to_a, answers
    end
  end

  class Adder < Raffia::Actor
    def add(one, other) = one + other
  end
  private_constant :Adder

  def test_remote_actors
    Dir.mktmpdir do |folder|
      address = "unix://#{folder}/actors"
      sum = nil
      in_world do |sim|
        sim.host("server") do
          Raffia.run do
            Adder.spawn(name: :adder)
            Raffia::Actor.listen(address)
            sleep
          end
        end
        sim.settle
        sim.host("client") do
          sum = Raffia.run { Raffia::Actor.at(address, :adder).add(1, 2) }
        end
        sim.settle
        assert_equal 3, sum
      end
    end
  end

  def test_processes_take_the_same_way
    script = <<~RUBY
      require "raffia/simulation"
      require "raffia/server"
      require "net/http"
      app = ->(env) { [200, {}, [env["PATH_INFO"]]] }
      Raffia::Simulation.run(seed: 5, strategy: :random) do |sim|
        sim.network.latency = 0.001..0.1
        sim.host("web") { Raffia::Server.start(app, host: "0.0.0.0", port: 80) { sleep } }
        sim.settle
        Array.new(5) { |index| Thread.new { Net::HTTP.get(URI("http://web/\#{index}")) } }
          .each(&:join)
        print Raffia::Simulation::World.current.decisions.digest, " ", sim.now
      end
    RUBY
    outputs = Array.new(2) do
      lib = File.expand_path("../../../lib", __dir__)
      IO.popen([RbConfig.ruby, "-I", lib, "-e", script], &:read)
    end
    assert_match(/\A\d+ \d/, outputs.first)
    assert_equal 1, outputs.uniq.size, outputs.inspect
  end

  private

  KEY = OpenSSL::PKey::RSA.new(2_048)
  CERTIFICATE = OpenSSL::X509::Certificate.new.tap do |certificate|
    certificate.version = 2
    certificate.serial = 1
    certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=web")
    certificate.public_key = KEY.public_key
    certificate.not_before = Time.utc(1999)
    certificate.not_after = Time.utc(2040)
    certificate.sign(KEY, "SHA256")
  end
  private_constant :KEY, :CERTIFICATE

  def in_world(**options, &) = Raffia::Simulation.run(**options, &)

  def context
    OpenSSL::SSL::SSLContext.new.tap do |context|
      context.cert = CERTIFICATE
      context.key = KEY
    end
  end

  # Redis' protocol, and three of its commands.
  def serve_resp
    data = {}
    server = TCPServer.new("0.0.0.0", 6_379)
    loop do
      Thread.new(server.accept) do |socket|
        while (line = socket.gets)
          words = Array.new(line[1..].to_i) { [socket.gets, socket.gets.chomp].last }
          socket.write(answer(data, *words))
        end
      rescue SystemCallError
        nil
      ensure
        socket.close
      end
    end
  end

  def answer(data, command, key = nil, value = nil)
    case command
    when "HELLO" then "%1\r\n+server\r\n+redis\r\n"
    when "SET"
      data[key] = value
      "+OK\r\n"
    when "GET" then "$#{data[key].bytesize}\r\n#{data[key]}\r\n"
    end
  end
end
