# frozen_string_literal: true

module Raffia
  class Pool
    class Future
      # The future that {Future#then} returns: it runs when another one is done.
      #
      # @api private
      class Continuation < Future
        def initialize(coordinator, source, block)
          super(coordinator, source.number, source.arguments, block)
          @source = source
        end

        def resolve
          case @source.status
          when :done then run
          when :cancelled then settle(:cancelled, @source.result)
          else settle(:failed, @source.result)
          end
        end

        # The source is cancelled too, unless others follow it: nobody else can reach it.
        def cancel(reason = nil)
          return interrupt(reason) unless withdraw(reason)

          (@source.followed_by?(self) && @source.cancel(reason)) || :waiting
        end

        # One attempt, whatever retries the pool has.
        def reject(failure) = fail_with(failure)
        def help = @source.help

        private

        def retire = nil
        def attempt = @block.call(@source.result)
      end
    end
  end
end
