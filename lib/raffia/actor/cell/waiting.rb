# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Who waits for whom. An actor that waits for another's answer does nothing else; so when that
      # other one, by whatever way, waits for this one, both would wait for ever.
      #
      # @api private
      module Waiting
        # Longer ways are not looked at: they would be a circle of others.
        FAR = 1_000

        # Looks whether a message of this actor's can ever be answered, if the one that the message
        # is waited for in goes on waiting.
        # @param waiting [Message] what the actor that waits works on
        # @return [void]
        # @raise [CallCycle]
        def check_cycle(waiting, message)
          calls = way_back(waiting) or return
          return if message.unwanted? || calls.last.cell.admit(calls.last)

          raise CallCycle.new(calls: [waiting, message, *calls].map(&:inspect))
        end

        # Lets a message run that waits behind the one for whose end it is needed.
        # @return [Boolean] whether that may be
        def admit(message)
          return false unless @settings.reentrant.include?(message.name)
          return false unless @guard.hold { @mailbox.delete(message) }

          perform_inside(message)
          true
        end

        private

        # @return [Array<Message>, nil] the calls by which this actor waits for the one that waits
        #   for it
        def way_back(waiting)
          calls = []
          cell = self
          while (message = cell.current) && message.underway? && (message = message.waits) &&
              calls.size < FAR
            calls << message
            cell = message.cell
            return calls if cell.equal?(waiting.cell)
          end
        end
      end
    end
  end
end
