# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Something that is done again and again, and says itself when it is due next; earlier when it
      # is stirred.
      #
      # @api private
      class Chore
        # @param patience [Patience]
        # @param longest [Numeric] seconds between two times
        # @param first [Numeric] seconds until the first
        # @yieldreturn [Numeric, nil] seconds; nil: nothing is known to be due
        def initialize(patience, longest:, first: 0, &work)
          @patience = patience
          @longest = longest
          @due = first
          @work = work
          @at = Clock.now
          @nap = nil
        end

        # For ever.
        def run
          loop do
            rest(@due) if @due.positive?
            @at = Clock.now
            due = @patience.keep(&@work)
            @due = [due, @longest].compact.min
            sleep(0) # others have their turn, whatever there is to do
          end
        end

        # It may be due now.
        # @param after [Numeric] seconds since the last time; before that, nothing happens
        # @return [void]
        def stir(after: 0) = (@nap.settle if @nap && Clock.now - @at >= after)

        private

        def rest(seconds)
          @nap = Waiter.new
          @nap.wait(seconds)
        ensure
          @nap = nil
        end
      end
    end
  end
end
