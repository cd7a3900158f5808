# frozen_string_literal: true

require_relative "../process_seat"
require_relative "../thread_crew"

module Raffia
  class Pool
    module Strategy
      # In forked processes: every core for Ruby code, no shared state, and the only workers that can be stopped hard.
      module Processes
        module_function

        def workers(options) = options.workers || Strategy.default_workers

        def target = 0.01

        def crew = ThreadCrew

        # For pools that live on.
        def standing_crew = ThreadCrew

        def seats(plan, input, sizer, options)
          unless ::Process.respond_to?(:fork)
            raise ConfigError, "on: :processes needs fork, which this Ruby does not have: use on: :threads"
          end

          Process::Warmup.call
          inherited = input if input&.indexed?
          longest = Tenure.chunk(options)
          sizer.at_most(longest) if longest
          -> { ProcessSeat.new(plan, inherited, sizer, options) }
        end

        def around = yield

        def portable? = false
      end
    end
  end
end
