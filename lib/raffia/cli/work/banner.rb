# frozen_string_literal: true

require_relative "../../service/banner"

module Raffia
  module CLI
    module Work
      # Prints the program of the jobs, and their queues.
      #
      # @api private
      class Banner < Service::Banner
        def initialize(given, program, queues, health, dashboard)
          super(Engine.best, json: given[:json])
          @given = given
          @program = program
          @queues = queues
          @health = health
          @dashboard = dashboard
        end

        private

        def facts
          {program: @program.name, store: store, queues: @queues.names, weights: @queues.weights,
           concurrency: concurrency, processes: count, health: @health&.url, web: @dashboard&.url}
        end

        def title = "works for #{@program.name}"

        def lines
          ["queues #{@queues}#{" of #{store}" if store}",
            "#{processes(count)}, #{concurrency} jobs at a time#{" in each" if count > 1}",
            *("#{@health.url}/health" if @health),
            *("#{@dashboard.url} shows the jobs" if @dashboard)]
        end

        def count = @given[:processes]

        # A supervisor has not loaded the program, so it does not know the program's store.
        def store = (Jobs.store.url if @given[:store] || count.zero?)

        def concurrency = @given[:concurrency] || Settings[:concurrency].default
      end
    end
  end
end
