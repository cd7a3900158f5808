# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

Simulations.of "server/admission", covers: %w[server/admission/concurrency_limiter
  server/admission/time_limit server/http/error_response], preempt: :none, max_steps: 100_000 do
  # Requests come in an order, at times of their own, each by a connection of its own. Returns for
  # each its path, when it came, and the response with its time.
  send_requests = lambda do |program, site, count, headers = ->(_) { {} }|
    at = 0
    wait = -> { at += 0.001 * (1 + program.choose(400)) }
    site.visits(count, wait:) do |client, number|
      began = program.sim.now
      client.request("/#{number}", **headers["/#{number}"])
      ["/#{number}", began, client.response, program.sim.now]
    end
  end

  model "no more than max_in_flight run, the others in order, until max_queue_time", runs: 25 do
    limit = 1 + choose(3)
    patience = one_of(nil, 0.3, 1)
    count = 2 + choose(8)
    # Two of these times differ from each other, and from the limit.
    seconds = Array.new(count) { |number| 0.05 * choose(20) + 0.0001 * (1 + number) }
    site = Simulations::Site.new(sim, max_in_flight: limit, max_queue_time: patience,
      seconds: ->(path) { seconds[path[1..].to_i] })
    outcomes = send_requests.call(self, site, count)
    free = [0.0] * limit # when each place is free
    outcomes.each do |path, came, response, ended|
      start = [came, free.min].max
      call = site.calls.find { |one| one.path == path }
      if patience && start - came > patience
        check_equal(503, response.status, "status of #{path}")
        check(response.headers["retry-after"].to_i >= patience, "retry-after of #{path}")
        check(same_time?(ended, came + patience), "#{path} was refused after #{ended - came} s")
        check_equal(nil, call, "call of #{path}, which was refused")
      else
        check_equal([200, path], [response.status, response.body], "response of #{path}")
        check(same_time?(call.began, start), "#{path} began at #{call.began} instead of #{start}")
        free[free.index(free.min)] = start + seconds[path[1..].to_i]
      end
    end
    check(site.most <= limit, "#{site.most} requests at a time")
    site.drain
  end

  model "a deadline ends a request that runs, and one that waits is not begun", runs: 20 do
    limit = 1 + choose(2)
    count = 2 + choose(6)
    all = one_of(nil, 0.75)
    seconds = Array.new(count) { |number| 0.1 * choose(15) + 0.0001 * (1 + number) }
    wanted = Array.new(count) { one_of(nil, 0.4, 1.2) }
    site = Simulations::Site.new(sim, max_in_flight: limit, request_timeout: all,
      seconds: ->(path) { seconds[path[1..].to_i] })
    headers = lambda do |path|
      (own = wanted[path[1..].to_i]) ? {"Request-Timeout" => own} : {}
    end
    outcomes = send_requests.call(self, site, count, headers)
    free = [0.0] * limit
    outcomes.each do |path, came, response, ended|
      number = path[1..].to_i
      start = [came, free.min].max
      call = site.calls.find { |one| one.path == path }
      left = [wanted[number] && wanted[number] - (start - came), all].compact.min
      if left && left <= 0
        check_equal([503, nil], [response.status, call], "#{path}, whose client is gone")
        check(ended > came + wanted[number] - 1e-6, "#{path} was refused too early")
        next
      end
      took = [seconds[number], left].compact.min
      check_equal((took < seconds[number]) ? 504 : 200, response.status, "status of #{path}")
      check(same_time?(call.began, start), "#{path} began at #{call.began} instead of #{start}")
      check(same_time?(ended, start + took), "#{path} ended at #{ended}, not #{start + took}")
      free[free.index(free.min)] = start + took
    end
    check(site.most <= limit, "#{site.most} requests at a time")
    site.drain
  end

  model "no place is lost when a request's turn and its limit come at one time", runs: 20 do
    limit = 1 + choose(2)
    count = 3 + choose(6)
    seconds = Array.new(count) { 0.25 * (1 + choose(3)) }
    site = Simulations::Site.new(sim, max_in_flight: limit, max_queue_time: 0.5,
      seconds: ->(path) { seconds[path[1..].to_i] || 0 })
    statuses = site.visits(count, wait: -> { 0.25 * choose(3) }) do |client, number|
      client.request("/#{number}")
      client.response.status
    end
    check_equal(site.calls.size, statuses.count(200), "responses of calls")
    check_equal([], statuses - [200, 503], "other responses")
    check(site.most <= limit, "#{site.most} requests at a time")
    check_equal(0, site.admitted, "places that are taken in the end")
    site.stop
  end
end
