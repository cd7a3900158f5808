# frozen_string_literal: true

module Celluloid
  module Internals
    # One wait of a task, during which its actor may do other things. The result comes through the
    # mailbox, so the task goes on in its turn.
    #
    # @api private
    class Suspension
      def initialize(cell)
        @cell = cell
        @waiter = ::Raffia::Waiter.new
        @guard = ::Raffia::SpinLock.new
        @kind = @turn = nil
      end

      # False: it had ended before.
      def settle(value = nil) = conclude(:value, value)

      def fail(error) = conclude(:error, error)

      def settled? = !@kind.nil?

      def failed? = @kind == :error

      # Nobody to be told when it is still in the mailbox at the actor's end.
      def reply = nil

      # In the task itself.
      # What it was settled with.
      def wait
        @cell.execution.aside { stay }
        (@kind == :error) ? raise(@value) : @value
      end

      # The turn is the task's.
      # Whether it takes it.
      def take = @waiter.settle

      # Its actor has ended: nobody's turn ever comes.
      def break_off(error) = @turn ? @turn.break_off(error) : @waiter.fail(error)

      protected

      # An interrupt, such as a Timeout, ends the wait, but the task does not execute the actor yet.
      def stay
        mine = false
        @waiter.wait { mine = true }
      rescue Exception # standard:disable Lint/RescueException
        come_back unless mine
        raise
      end

      private

      # Through the mailbox, again. What was waited for is not wanted any more.
      def come_back
        @guard.hold { @kind ||= :gone }
        @turn = Suspension.new(@cell)
        @turn.settle
        ::Raffia.shield { @turn.stay }
      end

      def conclude(kind, value)
        @guard.hold do
          return false if @kind

          @value = value
          @kind = kind
        end
        @cell.execution.resume(self)
        true
      end
    end

    # A sleep, for a task or for a thread that has none.
    #
    # @api private
    class Sleeper
      def initialize(interval)
        @interval = interval
      end

      def before_suspend(task)
        @timer = task.cell.group.after(@interval) { task.resume && nil } if @interval
      end

      # A timer that nobody waits for any more would keep the loop from its end.
      def after_suspend(_task) = @timer&.cancel

      def wait = @interval ? ::Kernel.sleep(@interval) : ::Kernel.sleep
    end
  end
end
