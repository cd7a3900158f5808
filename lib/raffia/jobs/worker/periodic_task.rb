# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Runs a block again and again. The block returns when it is due next; {wake} makes it run
      # earlier.
      #
      # @api private
      class PeriodicTask
        # @param backoff [Backoff]
        # @param longest [Numeric] seconds between two runs, at most
        # @param first [Numeric] seconds until the first run
        # @yieldreturn [Numeric, nil] seconds until the next run; nil: `longest`
        def initialize(backoff, longest:, first: 0, &block)
          @backoff = backoff
          @longest = longest
          @delay = first
          @block = block
          @last_run = Clock.now
          @waiter = nil
        end

        # Never returns.
        def run
          loop do
            wait(@delay) if @delay.positive?
            @last_run = Clock.now
            @delay = [@backoff.attempt(&@block), @longest].compact.min
            sleep(0) # lets other fibers run even when the next run is due at once
          end
        end

        # Runs the block now if it waits.
        # @param after [Numeric] seconds since the last run before which nothing happens
        # @return [void]
        def wake(after: 0) = (@waiter.settle if @waiter && Clock.now - @last_run >= after)

        private

        def wait(seconds)
          @waiter = Waiter.new
          @waiter.wait(seconds)
        ensure
          @waiter = nil
        end
      end
    end
  end
end
