# frozen_string_literal: true

require "net/http"
require_relative "../model"
require_relative "support/site"

Simulations.of "server/restart", covers: %w[server/worker/graceful_shutdown
  server/worker/connection_set server/http1/connection server/single_process], preempt: :none,
  max_steps: 200_000 do
  broken = [SystemCallError, IOError, Net::OpenTimeout, Net::ReadTimeout]

  # Clients of net/http, each on a host of its own, that ask for six paths each. Yields one and a
  # path. Returns the threads.
  browse = lambda do |program, **settings, &ask|
    clients = Array.new(1 + program.choose(3)) do |number|
      program.sim.host("client-#{number}") do
        http = Net::HTTP.new("web", Simulations::Site::PORT)
        settings.each { |name, value| http.public_send(:"#{name}=", value) }
        6.times do |index|
          ask.call(http, "/#{number}/#{index}")
          sleep(program.choose(20) / 10.0)
        end
      ensure
        http&.finish if http&.started?
      end
    end
    clients.flat_map(&:threads)
  end

  model "requests of net/http are processed once, or refused while a server restarts", runs: 14 do
    sites = []
    done = false
    seconds = Array.new(8) { choose(12) / 10.0 }
    web = sim.host("web") do
      until done
        sites << site = Simulations::Site.new(sim,
          seconds: ->(path) { seconds[path[/\d+\z/].to_i % 8] })
        sleep(1 + choose(50) / 10.0)
        site.stop
        check_equal([0, 0, 0, 0], site.load, "what a stopped server leaves")
        sleep(choose(20) / 10.0)
      end
    end
    answers = Hash.new { |all, path| all[path] = [] }
    threads = browse.call(self, keep_alive_timeout: 30) do |http, path|
      http.start unless http.started?
      response = one_of(-> { http.post(path, "body") }, -> { http.get(path) }).call
      answers[path] << [response.code, response.body]
    rescue *broken => error
      answers[path] << error.class
      http.finish if http.started?
    end
    threads.each(&:join)
    done = true
    web.threads.each(&:join)
    calls = sites.flat_map(&:paths).tally
    answers.each do |path, (answer)|
      if answer.is_a?(Array)
        check_equal(["200", path], answer, "response of #{path}")
        check_equal(1, calls[path], "calls of #{path}")
      else
        check_equal(nil, calls[path], "calls of #{path}, which ended with #{answer}")
      end
    end
    check_equal([], calls.keys - answers.keys, "calls that nobody has asked for")
  end

  model "requests to a server that crashes are processed, or fail in time", runs: 14 do
    sites = []
    sim.host("web", restart: 1 + choose(5)) do
      sites << Simulations::Site.new(sim, seconds: ->(_) { choose(10) / 10.0 })
      sleep
    end
    answered = {}
    threads = browse.call(self, open_timeout: 5, read_timeout: 5, max_retries: 0) do |http, path|
      took = elapsed do
        http.start unless http.started?
        response = http.get(path)
        answered[path] = response.body
      rescue *broken
        http.finish if http.started?
      end
      check(took < 12, "#{path} took #{took} s")
    end
    choose(4).times do
      sleep(choose(40) / 10.0)
      sim.crash("web", peers: one_of(:reset, :silence))
    end
    threads.each(&:join)
    paths = sites.flat_map(&:paths)
    check_equal(answered.keys, answered.values, "bodies")
    check_equal([], answered.keys - paths, "responses without a call")
    check_equal(paths.uniq, paths, "calls")
    sim.eventually(within: 30) {
      begin
        Net::HTTP.get("web", "/last", Simulations::Site::PORT)
      rescue
        nil
      end
    }
    sites.last.stop
  end
end
