# frozen_string_literal: true

module Raffia
  class Server
    class Worker
      # Tells long-lived connections (WebSockets, event streams) that the worker stops. It is
      # `env["raffia.drain"]`.
      #
      # @example
      #   subscription = env["raffia.drain"].call { socket.close(1001) }
      #   # ...
      #   subscription.cancel
      class Drain
        # Returned by {Drain#call}.
        class Subscription
          # @api private
          def initialize(subscriptions, block)
            @subscriptions = subscriptions
            @block = block
          end

          # @return [void]
          def cancel
            @subscriptions.delete(self)
            nil
          end

          # @api private
          def notify = @block.call
        end

        # @api private
        def initialize
          @subscriptions = {}.compare_by_identity
          @begun = false
        end

        # @yield once, when the worker begins to drain; at once if it has begun. Must not take long
        # @return [Subscription]
        def call(&block)
          subscription = Subscription.new(@subscriptions, block)
          @subscriptions[subscription] = true
          # It may begin at any moment, seen from a thread.
          subscription.notify if @begun && @subscriptions.delete(subscription)
          subscription
        end

        # @return [Boolean]
        def begun? = @begun

        # @yieldparam error [Exception] raised by a block
        # @api private
        def begin
          @begun = true
          @subscriptions.keys.each do |subscription|
            @subscriptions.delete(subscription)
            subscription.notify
          rescue Cancel
            raise
          rescue Exception => error # standard:disable Lint/RescueException
            yield error
          end
        end
      end
    end
  end
end
