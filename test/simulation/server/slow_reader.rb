# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

Simulations.of "server/slow_reader", covers: %w[server/http1/connection server/connection
  server/http/output server/worker/connection_set], preempt: :none, max_steps: 200_000 do
  model "a client that reads slowly gets all, and holds up nobody", runs: 6 do
    sim.network.window = sim.network.buffer = 8_192
    size = 150_000 + choose(3) * 50_000
    site = Simulations::Site.new(sim, write_timeout: 30,
      content: ->(path) { path.start_with?("/slow") ? "x" * size : path })
    # Seconds between two pieces: less than write_timeout, or more.
    pauses = Array.new(1 + choose(3)) { one_of(0.5, 20, 29, 45) }
    readers = pauses.each_with_index.map do |pause, number|
      sim.host("reader-#{number}") do
        client = Simulations::Client.new("main", Simulations::Site::PORT)
        client.request("/slow/#{number}", nil, "Connection" => "close")
        read = "".b
        while (piece = client.socket.read(40_000))
          read << piece
          sleep(pause)
        end
        whole = read.end_with?("\r\n\r\n#{"x" * size}")
        check_equal(pause < 30, whole, "#{read.bytesize} bytes after pauses of #{pause} s; whole")
      rescue SystemCallError
        raise unless pause > 30
      ensure
        client&.close
      end
    end
    others = Array.new(1 + choose(2)) do |number|
      sim.host("other-#{number}") do
        client = Simulations::Client.new("main", Simulations::Site::PORT)
        10.times do |index|
          took = elapsed do
            client.request("/#{number}/#{index}")
            check_equal("/#{number}/#{index}", client.response&.body, "body")
          end
          check(took < 0.01, "a small request took #{took} s")
          sleep(choose(40))
        end
      ensure
        client&.close
      end
    end
    (readers + others).flat_map(&:threads).each(&:join)
    sim.eventually(within: 60) { site.idle? }
    site.stop
  end

  model "a client that stops reading is left at write_timeout", runs: 15 do
    sim.network.window = sim.network.buffer = 8_192
    limit = 5 + choose(60)
    site = Simulations::Site.new(sim, write_timeout: limit, content: ->(_) { "x" * 200_000 })
    clients = Array.new(1 + choose(3)) do
      Thread.new do
        sleep(choose(10) / 10.0)
        client = Simulations::Client.new("127.0.0.1", Simulations::Site::PORT)
        client.request("/")
        client.socket.readpartial(1 + choose(8_000))
        sleep(limit - 0.1)
        check(!site.idle?, "the response was given up before #{limit} s")
        client
      end
    end.map(&:value)
    sleep(1.2)
    check_equal([0, 0, 0, 0], site.load, "what is left after #{limit} s")
    clients.each(&:close)
    site.stop
  end
end
