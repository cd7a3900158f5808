# frozen_string_literal: true

module Celluloid
  class Cell
    # What tasks wait for within their actor: names that are signalled, and objects in the mailbox.
    module Waiting
      # @return [Object] what came with the signal
      def wait_for(name) = (@signals ||= {}).fetch(name) { @signals[name] = Condition.new }.wait

      # @return [Object] the value
      def signal(name, value = nil)
        @signals&.delete(name)&.broadcast(value)
        value
      end

      # @return [Object, nil] nil when the time was up
      def receive(timeout, block)
        task = Task.current
        entry = [task.arm, block]
        (@receivers ||= []) << entry
        timer = @host.after(timeout) { entry.first.settle(nil) && nil } if timeout
        task.suspend(:receiving)
      ensure
        timer&.cancel
        @receivers&.delete(entry)
      end

      private

      # In a turn of its own.
      def hand_out
        message = @inbox.check(0) or return
        entry = @receivers&.find do |suspension, block|
          !suspension.settled? && (block.nil? || block.call(message))
        end
        return entry.first.settle(message) if entry

        Internals::Logger.debug("Discarded message (unhandled): #{message}") if Celluloid.debug?
      rescue ::StandardError, ::ScriptError => error # of a block that looks at messages
        crash(error)
      end
    end
  end
end
