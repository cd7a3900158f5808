# frozen_string_literal: true

require_relative "../crew/inline_crew"
require_relative "../seat"

module Raffia
  class Pool
    module Strategy
      # In the caller, one after the other: for tests, for debugging, and as the measure of the
      # others.
      module Inline
        module_function

        def workers(_options) = 1

        # Nobody waits for what is in a chunk.
        def target = 0.01

        def crew = InlineCrew

        # A pool that lives on does the work in the caller, when it is submitted.
        def standing_crew = nil

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
