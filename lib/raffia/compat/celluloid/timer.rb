# frozen_string_literal: true

module Celluloid
  module Internals
    # A timer as `after` and `every` return it, with the methods of the timers gem.
    class Timer
      attr_reader :interval
      attr_reader :recurring
      alias_method :delay, :interval

      def initialize(cell, interval, recurring, block)
        @cell = cell
        @interval = interval
        @recurring = recurring
        @block = block
        @waiting = false
      end

      # A dead actor starts none: a task may outlive its actor, and a timer would keep the loop
      # running.
      def start
        return self unless @cell.alive?

        @cell.timers[self] = true
        @entry = @cell.group.after(interval) { due }
        self
      end
      alias_method :resume, :start
      alias_method :continue, :start

      def cancel
        @entry&.cancel
        @entry = nil
        @cell.timers.delete(self)
      end
      alias_method :pause, :cancel

      def reset(*)
        cancel
        start
      end

      def fire(*) = @block.call
      alias_method :call, :fire

      def paused? = @entry.nil?

      def inspect = "#<#{self.class} #{recurring ? "every" : "after"} #{interval} s>"

      private

      # Returns when to be called again. A run is left out while the last one waits for its turn.
      def due
        unless @waiting
          @waiting = true
          @cell.begin_task(:timer) do
            @waiting = false
            entry = @entry
            cancel unless recurring
            @block.call if entry
          end
        end
        interval if recurring && @cell.alive?
      end
    end
  end
end
