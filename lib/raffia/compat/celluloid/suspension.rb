# frozen_string_literal: true

module Celluloid
  module Internals
    # One wait of a task, during which its actor may run others. The result comes through the
    # mailbox, so the task continues in its turn.
    #
    # @api private
    class Suspension
      def initialize(cell)
        @cell = cell
        @waiter = ::Raffia::Waiter.new
        @lock = ::Raffia::SpinLock.new
        @kind = @turn = nil
      end

      # False: it had ended before.
      def settle(value = nil) = conclude(:value, value)

      def fail(error) = conclude(:error, error)

      def settled? = !@kind.nil?

      def failed? = @kind == :error

      # A message in the mailbox may have a caller; this has none.
      def reply = nil

      # In the task itself. Returns or raises what it was settled with.
      def wait
        @cell.execution.release_during { park }
        (@kind == :error) ? raise(@value) : @value
      end

      # The task's turn has come. False when it has stopped waiting.
      def take = @waiter.settle

      # Its actor has ended, so its turn never comes.
      def break_off(error) = @turn ? @turn.break_off(error) : @waiter.fail(error)

      protected

      # An interrupt, such as a Timeout, ends the wait, but the task does not execute the actor yet.
      def park
        mine = false
        @waiter.wait { mine = true }
      rescue Exception # standard:disable Lint/RescueException
        reacquire unless mine
        raise
      end

      private

      # Through the mailbox, again; what was waited for is dropped.
      def reacquire
        @lock.hold { @kind ||= :gone }
        @turn = Suspension.new(@cell)
        @turn.settle
        ::Raffia.shield { @turn.park }
      end

      def conclude(kind, value)
        @lock.hold do
          return false if @kind

          @value = value
          @kind = kind
        end
        @cell.execution.resume(self)
        true
      end
    end

    # @api private
    class Sleeper
      def initialize(interval)
        @interval = interval
      end

      def before_suspend(task)
        @timer = task.cell.group.after(@interval) { task.resume && nil } if @interval
      end

      # An idle timer would keep the loop from its end.
      def after_suspend(_task) = @timer&.cancel

      def wait = @interval ? ::Kernel.sleep(@interval) : ::Kernel.sleep
    end
  end
end
