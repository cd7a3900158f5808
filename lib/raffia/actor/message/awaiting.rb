# frozen_string_literal: true

module Raffia
  class Actor
    class Message
      # Who waits for whom, seen from what they work on.
      #
      # @api private
      module Awaiting
        # Runs the block, which waits for another's answer.
        # @param sure [Object, nil] that it will come
        # @return [Object] the block's value
        # @raise [CallCycle]
        def await(message, sure = nil)
          @waits = message
          message.cell.check_cycle(self, message) unless sure
          message.awaited_by(self) { yield }
        ensure
          @waits = nil
        end

        # @return [Message, nil] whose answer is waited for in this one. Once that is given, whoever
        #   waited may be the last to know.
        def waits = (@waits unless @waits&.unwanted?)

        # From now on it waits for another's answer.
        # @return [void]
        def expect(message) = @waits = message

        # From now on another waits for this one's answer.
        # @return [void]
        def adopt(parent) = @parent ||= parent

        # It has been answered.
        # @return [void]
        def rest = @waits = nil

        # @yield while its sender waits for it, who may have done other things before
        def awaited_by(parent)
          return yield if @parent

          begin
            @parent = parent
            yield
          ensure
            @parent = nil
          end
        end

        # @return [Array<Message>] this one and those that wait for it, the innermost first
        def chain
          chain = [message = self]
          chain << message while !message.unwanted? && (message = message.parent)
          chain
        end
      end
    end
  end
end
