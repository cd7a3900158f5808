# frozen_string_literal: true

require "json"
require_relative "../start"

module Raffia
  module CLI
    module Work
      # What is said when it starts.
      #
      # @api private
      class Banner
        include Start

        def initialize(given, program, queues, health, dashboard = nil)
          @dashboard = dashboard
          @given = given
          @program = program
          @queues = queues
          @health = health
        end

        def say(out)
          @given[:json] ? out.puts(JSON.generate(facts)) : text(out)
          out.flush # readers may wait at a pipe
        end

        private

        def facts
          start.merge(program: @program.name, store: store, queues: @queues.names,
            weights: @queues.weights, concurrency: concurrency,
            processes: @given[:processes], health: @health&.url, web: @dashboard&.url)
        end

        def text(out)
          out.puts "#{raffia} works for #{@program.name}"
          out.puts "  queues #{@queues}#{" of #{store}" if store}"
          out.puts "  #{processes(@given[:processes])}, #{concurrency} jobs at a " \
            "time#{" in each" if @given[:processes] > 1}"
          out.puts "  #{@health.url}/health" if @health
          out.puts "  #{@dashboard.url} shows the jobs" if @dashboard
          out.puts "Ctrl-C stops it (process #{::Process.pid})"
        end

        # What the program says is known in the process that has loaded it, which is another one
        # than a supervisor.
        def store = (Jobs.store.url if @given[:store] || @given[:processes].zero?)

        def concurrency = @given[:concurrency] || Settings[:concurrency].default
      end
    end
  end
end
