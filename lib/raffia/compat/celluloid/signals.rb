# frozen_string_literal: true

module Celluloid
  module Internals
    # Lets tasks wait, within their actor, for names that are signalled and objects in the mailbox.
    #
    # @api private
    class Signals
      def initialize(cell)
        @cell = cell
        @conditions = {}
        @receivers = []
      end

      # What came with the signal.
      def wait(name) = (@conditions[name] ||= Condition.new).wait

      # Wakes all tasks that wait for the name.
      # The value.
      def signal(name, value)
        @conditions.delete(name)&.broadcast(value)
        value
      end

      # Nil when the time was up.
      def receive(timeout, block)
        task = Task.current
        entry = [task.arm, block]
        @receivers << entry
        timer = @cell.group.after(timeout) { entry.first.settle(nil) && nil } if timeout
        task.suspend(:receiving)
      ensure
        timer&.cancel
        @receivers.delete(entry)
      end

      # Gives an object in the mailbox to a task that waits for such a one.
      def hand_out
        message = @cell.inbox.check(0) or return
        entry = @receivers.find do |suspension, block|
          !suspension.settled? && (block.nil? || block.call(message))
        end
        return entry.first.settle(message) if entry

        Logger.debug("Discarded message (unhandled): #{message}") if Celluloid.debug?
      rescue ::StandardError, ::ScriptError => error # of a block that looks at messages
        @cell.crash(error)
      end
    end
  end
end
