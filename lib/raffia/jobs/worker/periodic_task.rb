# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Runs a block again and again. {wake} makes it run earlier.
      #
      # @api private
      class PeriodicTask
        # The block returns seconds until its next run, at most and by default +longest+.
        def initialize(backoff, longest:, first: 0, &block)
          @backoff = backoff
          @longest = longest
          @delay = first
          @block = block
          @last_run = Clock.now
          @waiter = nil
        end

        def run
          loop do
            wait(@delay) if @delay.positive?
            @last_run = Clock.now
            @delay = [@backoff.attempt(&@block), @longest].compact.min
            sleep(0) # lets other fibers run even when the next run is due at once
          end
        end

        # Runs the block now if it waits, and if so many seconds have passed since its last run.
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
