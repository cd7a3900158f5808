# frozen_string_literal: true

require_relative "../model"
require_relative "support/site"

# The application runs on threads, which may be switched anywhere; connections are fibers.
Simulations.of "server/http/threaded_request_cycle", covers: %w[server/http/thread_handoff
  server/http/deferred_output server/admission/concurrency_limiter server/admission
  server/worker/connection_set server/worker/context], max_steps: 200_000,
  preempt_in: ["**/lib/raffia/server/http/**", "**/lib/raffia/server/admission*/**"] do
  model "no more than `threads` requests run, and each has its response", runs: 6 do
    limit = 1 + choose(3)
    site = Simulations::Site.new(sim, execution: :threads, threads: limit,
      max_queue_time: one_of(nil, 0.5), seconds: ->(_) { 0.1 * choose(6) },
      content: ->(path) { path * one_of(1, 30_000) })
    statuses = site.visits(3 + choose(5), wait: -> { 0.1 * choose(6) }) do |client, number|
      Array.new(1 + choose(3)) do |index|
        path = "/#{number}/#{index}"
        one_of(-> { client.request(path) }, -> { client.request(path, "body" * 3) }).call
        response = client.response
        check([200, 503].include?(response.status), "status #{response.status} of #{path}")
        whole = response.body.delete_prefix(path).delete(path).empty?
        check(response.status == 503 || (whole && response.body.start_with?(path)), "body")
        check_equal(response.status == 200, site.paths.include?(path), "whether #{path} is called")
        response.status
      end
    end.flatten
    check_equal(site.calls.size, statuses.count(200), "responses of calls")
    check(site.most <= limit, "#{site.most} requests at a time")
    check_equal(0, site.admitted, "places that are taken in the end")
    site.drain
  end

  model "a deadline ends a request on its thread, and the thread goes on", runs: 6 do
    limit = 1 + choose(2)
    patience = 0.25
    # One of them is the limit: both happen at one time.
    seconds = Hash.new { |all, path| all[path] = 0.05 * choose(10) }
    site = Simulations::Site.new(sim, execution: :threads, threads: limit,
      request_timeout: patience, seconds: ->(path) { seconds[path] })
    site.visits(2 + choose(4), wait: -> { 0.1 * choose(3) }) do |client, number|
      3.times do |index|
        path = "/#{number}/#{index}"
        client.request(path)
        response = client.response
        call = site.calls.find { |one| one.path == path }
        unless same_time?(seconds[path], patience)
          expected = (seconds[path] < patience) ? [200, path] : 504
          check_equal(expected, (response.status == 200) ? [200, response.body] : response.status,
            "response after #{seconds[path]} s")
          check_equal(response.status == 504, !!call.error, "whether the call is interrupted")
        end
        check([200, 504].include?(response.status), "status #{response.status}")
        check(sim.now - call.began <= patience + 1e-6, "#{path} took #{sim.now - call.began} s")
      end
    end
    check(site.most <= limit, "#{site.most} requests at a time")
    site.drain
  end

  model "clients leave, the server stops: calls end, and whole responses are sent", runs: 6 do
    limit = 1 + choose(2)
    site = Simulations::Site.new(sim, execution: :threads, threads: limit, write_timeout: 20,
      drain_timeout: one_of(nil, 0.5, 3), seconds: ->(_) { 0.1 * choose(20) },
      content: ->(path) { path * one_of(1, 60_000) })
    answers = {}
    clients = Array.new(2 + choose(4)) do |number|
      sim.host("client-#{number}") do
        sleep(choose(15) / 10.0)
        client = Simulations::Client.new("main", Simulations::Site::PORT)
        client.request("/#{number}", one_of(nil, "body"))
        next answers["/#{number}"] = client.response if choose(3).positive?

        sleep(choose(10) / 10.0)
        one_of(-> { client.reset }, -> { client.close }, -> { sim.crash("client-#{number}") }).call
        answers["/#{number}"] = :left
      rescue SystemCallError, Simulations::Client::Cut => error
        answers["/#{number}"] = error
      ensure
        client&.close
      end
    end
    sleep(choose(25) / 10.0)
    site.drain
    clients.flat_map(&:threads).each(&:join)
    site.calls.each do |call|
      check(call.ended || call.error, "the call of #{call.path} has no end")
      answer = answers[call.path]
      next if answer.nil? || answer == :left || call.error

      check(answer.respond_to?(:status), "#{call.path}, which was processed, had #{answer.inspect}")
      check_equal([200, call.path], [answer.status, answer.body[0, call.path.size]], "response")
    end
  end

  model "a stream leaves its place to others, and takes it again at its end", runs: 6 do
    limit = 1 + choose(2)
    running = most = 0
    pieces = Hash.new { |all, path| all[path] = Array.new(1 + choose(5)) { one_of(10, 40_000) } }
    # For a path with "stream" the body is a callable.
    app = lambda do |env|
      most = [most, running += 1].max
      sleep(0.1 * choose(4))
      path = env["PATH_INFO"]
      next [200, {"content-length" => path.size.to_s}, [path]] unless path.include?("stream")

      size = pieces[path].sum
      [200, {"content-length" => size.to_s}, lambda do |stream|
        pieces[path].each { |bytes| stream.write("x" * bytes) && sleep(0.1 * choose(8)) }
      ensure
        stream.close
      end]
    ensure
      running -= 1
    end
    site = Simulations::Site.new(sim, app:, execution: :threads, threads: limit)
    site.visits(3 + choose(4), wait: -> { 0.1 * choose(4) }) do |client, number|
      paths = Array.new(2) { |index| one_of("/#{number}/#{index}", "/stream/#{number}/#{index}") }
      paths.each do |path|
        client.request(path)
        next client.reset || break if path.include?("stream") && choose(4).zero?

        response = client.response
        check_equal(200, response.status, "status of #{path}")
        whole = path.include?("stream") ? pieces[path].sum : path.size
        check_equal(whole, response.body.bytesize, "bytes of #{path}")
      end
    end
    sim.eventually(within: 20) { site.idle? }
    check(most <= limit, "#{most} requests at a time")
    check_equal(0, site.admitted, "places that are taken in the end")
    site.drain
  end
end
