# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

Simulations.of "server/http1/connection", covers: %w[server/worker/graceful_shutdown
  server/worker/connection_set server/connection server/connection/lingering_close],
  preempt: :none, max_steps: 100_000 do
  program = lambda do |tls|
    most = [nil, 1, 3][choose(3)]
    duration = Hash.new { |all, path| all[path] = choose(8) / 10.0 }
    size = Hash.new { |all, path| all[path] = 1 + choose(3) * 40_000 }
    site = Simulations::Site.new(sim, max_requests_per_connection: most,
      seconds: ->(path) { duration[path] }, content: ->(path) { path * size[path] }, tls:)
    got = {}
    clients = Array.new(1 + choose(3)) do |number|
      sim.host("client-#{number}") do
        responses = got[number] = []
        sleep(choose(10) / 10.0)
        client = Simulations::Client.new("main", Simulations::Site::PORT, tls:)
        paths = Array.new(1 + choose(4)) { |index| "/#{number}/#{index}" }
        if one_of(true, false)
          client.write(paths.map { |path| Simulations::Client.text(path) }.join)
        else
          paths.each do |path|
            client.request(path)
            responses << (client.response or break)
            sleep(choose(15) / 10.0)
          end
        end
        responses.concat(client.responses)
      rescue SystemCallError, Simulations::Client::NoHandshake => error
        sim.note("client #{number}: #{error.class}")
      rescue OpenSSL::SSL::SSLError
        # In TLS 1.3 a client has completed the handshake before the server, which a drain may end.
        raise if responses.any?
      ensure
        client&.close
      end
    end
    sleep(choose(40) / 10.0)
    stopped = sim.now
    site.stop
    clients.flat_map(&:threads).each(&:join)
    got.each do |number, responses|
      calls = site.calls.select { |call| call.path.start_with?("/#{number}/") }
      check_equal(calls.map(&:path), calls.map(&:path).sort.uniq, "order of calls")
      check_equal(calls.map { |call| call.path * size[call.path] }, responses.map(&:body), "bodies")
      calls.zip(responses).each.with_index(1) do |(call, response), place|
        full = most == place
        check(!response.close? || full || call.ended >= stopped, "#{call.path} closes too early")
        check(response.close? || !(full || call.ended > stopped), "#{call.path} does not close")
        check(!response.close? || call.equal?(calls.last), "a response after #{call.path}")
      end
    end
    check(site.idle?, "what is left: #{site.load}")
  end

  model "each request that is taken has one whole response, and the last says close", runs: 25 do
    instance_exec(nil, &program)
  end

  # An end without a close_notify raises in the clients.
  model "the same over TLS, and connections end with a close_notify", runs: 10,
    covers: %w[server/tls server/connection/handshake server/connection/lingering_close] do
    sim.network.latency = one_of(0.001, 0.1..0.4)
    instance_exec(Simulations::TLS.context(one_of(:TLS1_2, :TLS1_3)), &program)
  end
end
