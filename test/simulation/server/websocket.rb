# frozen_string_literal: true

require "raffia/server/websocket"
require_relative "../../support/websocket_client"
require_relative "../model"
require_relative "support/site"

Simulations.of "server/websocket", covers: %w[server/websocket/receiver
  server/websocket/send_buffer server/websocket/driver_adapter server/websocket/frame_reader
  server/worker/stream_loop server/worker/drain], preempt: :none, max_steps: 200_000 do
  # A server that runs the block with each WebSocket, in fibers or on threads.
  serve = lambda do |program, options = {}, &talk|
    app = ->(env) { Raffia::Server::WebSocket.open(env, **options, &talk) }
    Simulations::Site.new(program.sim, app:, execution: program.one_of(:fibers, :threads))
  end

  dial = lambda do
    TestSupport::WebSocketClient.new(TCPSocket.new("main", Simulations::Site::PORT))
  end

  # Messages of one sender: text or bytes, of several sizes.
  messages = lambda do |program, name|
    Array.new(1 + program.choose(4)) do |number|
      text = "#{name}:#{number}:#{"é" * program.one_of(0, 50, 3_000, 40_000)}"
      program.one_of(text, text.b)
    end
  end

  nap = ->(program) { program.sim.sleep(program.choose(10) / 10.0) if program.choose(2).zero? }

  talk = lambda do
    sim.network.window = sim.network.buffer = one_of(4_096, 65_536)
    written = Array.new(1 + choose(2)) { |number| messages.call(self, "server #{number}") }
    received = []
    site = serve.call(self, {backlog: one_of(1, 100_000)}) do |socket|
      Raffia::Scope.open do |scope|
        written.each do |texts|
          scope.spawn { texts.each { |text| nap.call(self) || socket.write(text) } }
        end
        socket.each { |message| received << message }
      end
    end
    said = messages.call(self, "client")
    heard = []
    client = dial.call
    sender = Thread.new { said.each { |text| nap.call(self) || client.say(text) } }
    written.sum(&:size).times do
      heard << client.hear
      nap.call(self)
    end
    sender.join
    client.close
    check_equal([1000, ""], client.farewell, "the server's close")
    client.abandon
    own = ->(message) { [message.encoding, message] }
    check(received.map(&own) == said.map(&own), "received #{received.size} of #{said.size}")
    written.each_with_index do |texts, number|
      part = heard.compact.select { |message| message.b.start_with?("server #{number}:") }
      check(part.map(&own) == texts.map(&own), "heard #{part.size} of #{texts.size}")
    end
    sim.eventually(within: 10) { site.idle? }
    site.stop
  end

  model("messages are whole and in order, in both directions", runs: 12, &talk)

  model("messages are whole and in order, with short reads and writes", runs: 6,
    faults: %i[short_io spurious], &talk)

  close = lambda do
    written, received, code = [], [], nil
    ending = one_of(:return, :close, :error, :drain, :client)
    site = serve.call(self) do |socket|
      Raffia::Scope.open do |scope|
        reader = scope.spawn { socket.each { |message| received << message } }
        (1 + choose(5)).times do |number|
          nap.call(self)
          socket.write("server #{number}")
          written << "server #{number}"
        end
        socket.close(4_000, "enough") if ending == :close
        reader.value if %i[client drain].include?(ending)
        raise Raffia::Error, "meant" if ending == :error
      rescue Raffia::Closed
        nil
      ensure
        scope.cancel
      end
    ensure
      code = socket.close_code
    end
    said = []
    client = dial.call
    sender = Thread.new do
      (1 + choose(5)).times do |number|
        nap.call(self)
        client.say(said.push("client #{number}").last)
      end
      client.close(3_000, "bye") if ending == :client
    rescue SystemCallError, IOError
      nil # the server has closed
    end
    stopper = Thread.new { sim.sleep(choose(20) / 10.0) || site.stop } if ending == :drain
    heard = []
    while (message = client.hear)
      heard << message
    end
    sender.join
    codes = {return: 1000, close: 4_000, error: 1011, drain: 1001, client: 3_000}
    check_equal(codes[ending], client.code, "code of #{ending}")
    check_equal(written, heard, "messages before the close")
    check_equal(said.take(received.size), received, "messages to the server")
    client.abandon
    stopper&.join
    sim.eventually(within: 12) { site.idle? }
    check_equal([said, 3_000], [received, code], "what the server has") if ending == :client
    site.drain
  end

  model("what is sent before a close is heard, and both sides know its code", runs: 20, &close)

  model("what is sent before a close is heard, by threads that are preempted", runs: 8,
    preempt: :cruby, preempt_in: ["**/lib/raffia/server/websocket*/**",
      "**/lib/raffia/server/websocket.rb", "**/lib/raffia/server/worker/**",
      "**/lib/raffia/server/http/th*"], &close)

  model "a client that is killed ends the conversation", runs: 15 do
    ping = 1 + choose(10)
    talks = []
    site = serve.call(self, {ping:}) do |socket|
      talks << one = {}
      writes = one_of(true, false)
      Raffia::Scope.open do |scope|
        reader = scope.spawn { socket.each { |message| one[:last] = message } }
        sleep(0.3) && socket.write("tick") while writes && !socket.closed?
        reader.value
      end
    rescue Raffia::Closed
      nil
    ensure
      one&.update(code: socket.close_code, ended: sim.now)
    end
    left = {}
    clients = Array.new(1 + choose(3)) do |number|
      sim.host(name = "client-#{number}") do
        client = dial.call
        choose(4).times { |index| nap.call(self) || client.say(index.to_s) }
        left[name] = sim.now
        case choose(5)
        when 0 then client.abandon
        when 1 then sim.reset(name, "main")
        when 2 then sim.crash(name, peers: :reset)
        when 3 then sim.crash(name, peers: :silence)
        when 4
          client.io.write("\x81\xFE") # the beginning of a frame
          client.abandon
        end
      end
    end
    clients.flat_map(&:threads).each(&:join)
    sim.eventually(within: 2 * ping + 40) { site.idle? }
    late = talks.map { |one| one[:ended] }.max.to_f - left.values.max
    check(late <= 2 * ping + 1, "a conversation ended #{late} s after its client; ping: #{ping}")
    check_equal([1006], talks.map { |one| one[:code] }.uniq, "codes") if talks.any?
    site.drain
  end
end
