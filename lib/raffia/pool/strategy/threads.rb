# frozen_string_literal: true

require_relative "../seat"
require_relative "../crew/thread_crew"

module Raffia
  class Pool
    module Strategy
      # In native threads. On CRuby they run Ruby code one at a time, and wait, compress and call C
      # libraries at once.
      module Threads
        module_function

        def workers(options) = options.workers || Strategy.default_workers

        # Short: a handful of waiting items must not end up with one thread.
        def target = 0.001

        def crew = ThreadCrew

        # For pools that live on.
        def standing_crew = ThreadCrew

        def seats(plan, _input, _sizer, options)
          limited = plan.within(options.item_timeout)
          -> { Seat.new(limited) }
        end

        def around = yield

        def portable? = true
      end
    end
  end
end
