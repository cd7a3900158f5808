# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

Simulations.of "server/tls", covers: %w[server/connection/handshake server/connection
  server/worker/connection_set server/worker/graceful_shutdown], preempt: :none,
  max_steps: 200_000 do
  # Connects, and sends the beginning of a handshake in pieces. Returns the virtual seconds until
  # the server ends the connection, and those until the last piece.
  stall = lambda do |program, bytes, pause|
    client = Simulations::Client.new("main", Simulations::Site::PORT)
    sent = 0
    took = program.elapsed do
      sent = program.elapsed do
        bytes.each_char.each_slice(1 + bytes.bytesize / 4) do |piece|
          client.write(piece.join)
          sleep(pause)
        end
      rescue SystemCallError
        nil # the server has ended it
      end
      client.socket.read
    rescue SystemCallError
      nil
    end
    [took, sent]
  ensure
    client&.close
  end

  model "a handshake ends at tls_handshake_timeout, and holds up nobody", runs: 12 do
    limit = 2 + choose(20)
    hello = Simulations::TLS.hello
    site = Simulations::Site.new(sim, tls: true, tls_handshake_timeout: limit, idle_timeout: 3_600)
    sim.network.latency = 0
    slow = Array.new(1 + choose(3)) do |number|
      sim.host("slow-#{number}") do
        sleep(choose(50) / 10.0)
        size = one_of(hello.bytesize, choose(hello.bytesize))
        took, sent = stall.call(self, hello[0, size], choose(limit) / 3.0)
        next if sent > limit # the server has ended it before

        check(same_time?(took, limit), "a handshake ended after #{took} s of #{limit}")
      end
    end
    other = sim.host("other") do
      client = Simulations::Client.new("main", Simulations::Site::PORT,
        tls: Simulations::TLS.context(one_of(:TLS1_2, :TLS1_3)))
      5.times do |index|
        client.request("/#{index}")
        check_equal("/#{index}", client.response&.body, "body")
        sleep(choose(100) / 10.0)
      end
    ensure
      client&.close
    end
    [*slow, other].flat_map(&:threads).each(&:join)
    sim.eventually(within: limit + 10) { site.idle? }
    site.drain
  end

  model "a drain ends handshakes, or serves what follows them at once", runs: 15 do
    sim.network.latency = one_of(0.1, 0.1..0.6)
    site = Simulations::Site.new(sim, tls: true)
    context = Simulations::TLS.context(one_of(:TLS1_2, :TLS1_3))
    answers = {}
    clients = Array.new(2 + choose(4)) do |number|
      sim.host("client-#{number}") do
        sleep(choose(20) / 10.0)
        client = Simulations::Client.new("main", Simulations::Site::PORT, tls: context)
        client.request("/#{number}")
        answers["/#{number}"] = [client.response, client.response]
      rescue SystemCallError, Simulations::Client::NoHandshake, OpenSSL::SSL::SSLError => error
        # In TLS 1.3 a client has completed the handshake before the server.
        sim.note("client #{number}: #{error.message}")
      ensure
        client&.socket&.to_io&.close
      end
    end
    sleep(choose(30) / 10.0)
    began = sim.now
    site.drain
    check(sim.now - began < 8, "the drain took #{sim.now - began} s")
    clients.flat_map(&:threads).each(&:join)
    site.calls.each do |call|
      response, rest = answers[call.path]
      check_equal([call.path, nil], [response&.body, rest], "responses")
      check(same_time?(call.ended, began) || response.close? == (call.ended > began),
        "the response of #{call.ended} s says close: #{response.close?}; drain at #{began} s")
    end
    check_equal(site.paths.sort, answers.select { |_, (one)| one }.keys.sort, "paths")
  end
end
