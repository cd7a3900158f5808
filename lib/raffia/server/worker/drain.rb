# frozen_string_literal: true

module Raffia
  class Server
    class Worker
      # Tells those who keep a connection for long (WebSockets, event streams) that the worker is
      # coming to its end. It is `env["raffia.drain"]`.
      #
      # @example
      #   farewell = env["raffia.drain"].call { socket.close(1001) }
      #   # ...
      #   farewell.cancel
      class Drain
        # What {Drain#call} returns.
        class Subscription
          def initialize(all, block)
            @all = all
            @block = block
          end

          # @return [void]
          def cancel
            @all.delete(self)
            nil
          end

          # @api private
          def say = @block.call
        end

        def initialize
          @farewells = {}.compare_by_identity
          @begun = false
        end

        # @yield once, when the worker begins to drain; at once if it has begun already. The block
        #   must not take long
        # @return [Subscription]
        def call(&block)
          farewell = Subscription.new(@farewells, block)
          @farewells[farewell] = true
          # it may begin at any moment, for a thread
          farewell.say if @begun && @farewells.delete(farewell)
          farewell
        end

        # @return [Boolean]
        def begun? = @begun

        # @yieldparam error [Exception] what a block has raised
        # @api private
        def begin
          @begun = true
          @farewells.keys.each do |farewell|
            @farewells.delete(farewell)
            farewell.say
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
