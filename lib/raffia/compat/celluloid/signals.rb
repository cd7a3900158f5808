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

      def wait(name) = (@conditions[name] ||= Condition.new).wait

      def signal(name, value)
        @conditions.delete(name)&.broadcast(value)
        value
      end

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

      def dispatch_message
        message = @cell.inbox.check(0) or return
        entry = @receivers.find do |suspension, block|
          !suspension.settled? && (block.nil? || block.call(message))
        end
        return entry.first.settle(message) if entry

        Logger.debug("Discarded message (unhandled): #{message}") if Celluloid.debug?
      rescue ::StandardError, ::ScriptError => error # of a block that examines messages
        @cell.crash(error)
      end
    end
  end
end
