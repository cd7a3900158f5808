# frozen_string_literal: true

module Raffia
  class Pool
    class Future
      # What {Future#then} returns: it runs when another future is done.
      #
      # @api private
      class Continuation < Future
        # @param source [Future]
        def initialize(coordinator, source, block)
          super(coordinator, source.number, source.arguments, block)
          @source = source
        end

        # Its source has ended.
        # @return [void]
        def resolve
          case @source.status
          when :done then run
          when :cancelled then settle(:cancelled, @source.result)
          else settle(:failed, @source.result)
          end
        end

        # Nobody can cancel the source of whom only the end of the chain is known, so that goes with
        # it, unless others follow it too.
        # @return [Symbol, false]
        def cancel(reason = nil)
          return interrupt(reason) unless withdraw(reason)

          (@source.followed_by?(self) && @source.cancel(reason)) || :waiting
        end

        # One attempt, whatever the pool grants its work.
        def reject(failure) = fail_with(failure)

        def help = @source.help

        private

        def retire = nil

        def attempt = @block.call(@source.result)
      end
    end
  end
end
