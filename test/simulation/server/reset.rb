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

  visit = lambda do |program, host|
    client = Simulations::Client.new("main", Simulations::Site::PORT)
    path = "/#{host}"
    case program.choose(4)
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
    end
    sleep(program.choose(10) / 10.0)
    leave.call(program, client, host)
  rescue EOFError, SystemCallError
    client&.close
  end

  program = lambda do
    site = Simulations::Site.new(sim, idle_timeout: 20, body_timeout: 20, head_timeout: 20,
      write_timeout: 20, seconds: ->(_) { choose(15) / 10.0 },
      content: ->(path) { path * (1 + choose(3) * 30_000) })
    visitors = Array.new(2 + choose(4)) do |number|
      name = "visitor-#{number}"
      sim.host(name) do
        sleep(choose(20) / 10.0)
        visit.call(self, name)
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
      client = Simulations::Client.new("main", Simulations::Site::PORT)
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

  model("connections that break leave nothing behind", runs: 20, &program)

  model("connections that break leave nothing behind, with short reads and writes", runs: 10,
    faults: %i[short_io spurious], &program)
end
