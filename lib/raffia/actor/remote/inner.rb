# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # The object's own core, as the object sees it: what it wants of its core is asked of the
      # other side. Blocks stay here, under numbers.
      #
      # @api private
      class Inner < Distant
        # @param line [Line] to the side where the core is
        def initialize(data, line)
          super
          @guard = SpinLock.new
          @blocks = {}
          @subscribed = {}
          @last = 0
        end

        # @return [Clock]
        def start_timer(seconds, again, &block)
          key = keep(block, again)
          line.ask(ref, :timer, seconds, again, key)
          Clock.new(self, key)
        end

        # @return [void]
        def stop_timer(key)
          line.tell(:cancel, key) if @guard.hold { @blocks.delete(key) }
        end

        # @return [void]
        def urge(&block) = line.tell(:urge, keep(block, false))

        # (see Links#monitor)
        def monitor(other, &block) = other.watch { |ref, reason| urge { block.call(ref, reason) } }

        # @return [void]
        def demonitor(other, handle) = other.unwatch(handle)

        # @return [void]
        def link(other) = line.ask(ref, :link, other.ref)

        # @return [void]
        def unlink(other) = line.ask(ref, :unlink, other.ref)

        # (see ActorCore#subscribe)
        def subscribe(pattern, handler)
          unless handler.is_a?(Symbol)
            handler = keep(handler, true)
            @guard.hold { (@subscribed[pattern] ||= []) << handler }
          end
          line.ask(ref, :subscribe, pattern, handler)
        end

        # @return [void]
        def unsubscribe(pattern)
          line.ask(ref, :unsubscribe, pattern)
          @guard.hold do
            keys = if pattern
              @subscribed.delete(pattern)
            else
              @subscribed.values.flatten.tap { @subscribed.clear }
            end
            keys&.each { |key| @blocks.delete(key) }
          end
        end

        # @return [Proc, nil]
        def block(key)
          @guard.hold do
            block, again = @blocks[key]
            @blocks.delete(key) unless again
            block
          end
        end

        private

        def keep(block, again)
          @guard.hold do
            @blocks[@last += 1] = [block, again]
            @last
          end
        end

        # One that its object has set.
        class Clock
          def initialize(inner, key)
            @inner = inner
            @key = key
            @cancelled = false
          end

          # @return [void]
          def cancel
            @inner.stop_timer(@key) unless @cancelled
            @cancelled = true
          end

          # @return [Boolean]
          def cancelled? = @cancelled
        end
        private_constant :Clock
      end
    end
  end
end
