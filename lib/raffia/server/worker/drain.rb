# frozen_string_literal: true

module Raffia
  class Server
    class Worker
      # `env["raffia.drain"]`: tells long-lived connections (WebSockets, event streams) that the
      # worker stops.
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

          # Withdraws the block.
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

        # Calls the block once, when the worker begins to drain; at once if it has begun. The block
        # must be quick.
        # @return [Subscription]
        def call(&block)
          subscription = Subscription.new(@subscriptions, block)
          @subscriptions[subscription] = true
          # Draining may begin at any moment in another thread.
          subscription.notify if @begun && @subscriptions.delete(subscription)
          subscription
        end

        # @return [Boolean]
        def begun? = @begun

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
