# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

Simulations.of "server/reset", covers: %w[server/connection server/http1/connection
  server/worker/connection_set server/worker/acceptor server/http/request_cycle
  server/http/error_response], preempt: :none, max_steps: 200_000 do
  # Acts of a client after a part of a request or a response.
  leave = lambda do |program, client, host|
    case program.choose(4)
    when 0 then client.reset
    when 1 then client.close
    when 2 then program.sim.reset(host, "main")
    when 3 then program.sim.crash(host)
    end
  end

  visit = lambda do |program, host, tls|
    client = Simulations::Client.new("main", Simulations::Site::PORT, tls:, handshake: false)
    path = "/#{host}"
    act = program.choose(tls ? 6 : 4)
    client.handshake if act < 4
    case act
    when 0 # in the middle of a head
      client.write(Simulations::Client.text(path)[0, program.choose(40)])
    when 1 # of a body
      client.request(path, "y" * 1_000, size: 100_000)
    when 2 # while the application runs, or of a response
      client.request(path)
      sleep(program.choose(20) / 10.0)
    when 3 # with a request in the pipeline
      client.write(Simulations::Client.text(path) * 2)
      client.socket.readpartial(10)
    when 4 # in the middle of a handshake
      client.socket.connect_nonblock(exception: false)
    when 5 # in the middle of its first message
      client.socket.to_io.write(Simulations::TLS.hello[0, program.choose(200)])
    end
    sleep(program.choose(10) / 10.0)
    leave.call(program, client, host)
  rescue EOFError, SystemCallError, Simulations::Client::NoHandshake, OpenSSL::SSL::SSLError
    client&.socket&.to_io&.close
  end

  program = lambda do |tls|
    site = Simulations::Site.new(sim, idle_timeout: 20, body_timeout: 20, head_timeout: 20,
      write_timeout: 20, tls_handshake_timeout: 20, tls:, seconds: ->(_) { choose(15) / 10.0 },
      content: ->(path) { path * (1 + choose(3) * 30_000) })
    visitors = Array.new(2 + choose(4)) do |number|
      name = "visitor-#{number}"
      sim.host(name) do
        sleep(choose(20) / 10.0)
        visit.call(self, name, tls)
      end
    end
    if one_of(true, false)
      sleep(choose(20) / 10.0)
      sim.partition("visitor-0", "main")
      sleep(choose(60))
    end
    sim.heal
    # It goes on.
    steady = sim.host("steady") do
      client = Simulations::Client.new("main", Simulations::Site::PORT, tls:)
      3.times do |index|
        client.request("/steady/#{index}")
        response = client.response
        check_equal(200, response&.status, "status")
        check(response.body.start_with?("/steady/#{index}"), "body #{response.body[0, 20]}")
        sleep(choose(10))
      end
    ensure
      client&.close
    end
    steady.threads.each(&:join)
    visitors.flat_map(&:threads).each(&:join)
    sim.eventually(within: 120) { site.idle? }
    check(site.calls.all? { |call| call.ended || call.error }, "calls that have no end")
    site.stop
  end

  model "connections that break leave nothing behind", runs: 20 do
    instance_exec(nil, &program)
  end

  model "connections that break leave nothing behind, with short reads and writes", runs: 10,
    faults: %i[short_io spurious] do
    instance_exec(nil, &program)
  end

  model "connections over TLS that break leave nothing behind", runs: 10,
    covers: %w[server/tls server/connection/handshake] do
    instance_exec(Simulations::TLS.context(one_of(:TLS1_2, :TLS1_3)), &program)
  end
end
