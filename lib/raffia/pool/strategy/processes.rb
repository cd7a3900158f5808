# frozen_string_literal: true

require_relative "../overseen_seat"
require_relative "../processes/process_seat"
require_relative "../crew/thread_crew"

module Raffia
  class Pool
    module Strategy
      # In forked processes: every core for Ruby code, no shared state, and the only workers that
      # can be stopped hard.
      module Processes
        # Seconds that an item which overruns its limit gets to end by itself, with its +ensure+
        # blocks, before its worker is stopped.
        GRACE = 0.5

        module_function

        def workers(options) = options.workers || Strategy.default_workers

        def target = 0.01

        def crew = ThreadCrew

        # For pools that live on.
        def standing_crew = ThreadCrew

        def seats(plan, input, sizer, options)
          unless ::Process.respond_to?(:fork)
            raise ConfigError, "on: :processes needs fork, which this Ruby does not have: use " \
              "on: :threads"
          end

          Process::Warmup.call
          inherited = input if input&.indexed?
          longest = Tenure.chunk(options)
          sizer.at_most(longest) if longest
          limited = plan.within(options.item_timeout)
          -> {
            OverseenSeat.over(ProcessSeat.new(limited, inherited, sizer, options),
              options.item_timeout, grace: GRACE)
          }
        end

        def around = yield

        def portable? = false
      end
    end
  end
end
