# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Stands for an object's own core, which lives in another process or Ractor. Blocks stay here,
      # under numbers.
      class CoreProxy < Proxy
        def initialize(data, connection)
          super
          @lock = SpinLock.new
          @blocks = {}
          @subscribed = {}
          @last = 0
        end

        def start_timer(seconds, again, &block)
          key = keep(block, again)
          connection.ask(ref, :timer, seconds, again, key)
          TimerHandle.new(self, key)
        end

        def stop_timer(key)
          connection.tell(:cancel, key) if @lock.hold { @blocks.delete(key) }
        end

        def urge(&block) = connection.tell(:urge, keep(block, false))

        def monitor(other, &block) = other.watch { |ref, reason| urge { block.call(ref, reason) } }

        def demonitor(other, handle) = other.unwatch(handle)

        def link(other) = connection.ask(ref, :link, other.ref)

        def unlink(other) = connection.ask(ref, :unlink, other.ref)

        def subscribe(pattern, handler)
          pattern = Topics::Pattern.check(pattern)
          unless handler.is_a?(Symbol)
            handler = keep(handler, true)
            @lock.hold { (@subscribed[pattern] ||= []) << handler }
          end
          connection.ask(ref, :subscribe, pattern, handler)
        end

        def unsubscribe(pattern)
          pattern &&= Topics::Pattern.check(pattern)
          connection.ask(ref, :unsubscribe, pattern)
          @lock.hold do
            keys = if pattern
              @subscribed.delete(pattern)
            else
              @subscribed.values.flatten.tap { @subscribed.clear }
            end
            keys&.each { |key| @blocks.delete(key) }
          end
        end

        def block(key)
          @lock.hold do
            block, again = @blocks[key]
            @blocks.delete(key) unless again
            block
          end
        end

        private

        def keep(block, again)
          @lock.hold do
            @blocks[@last += 1] = [block, again]
            @last
          end
        end

        class TimerHandle
          def initialize(core_proxy, key)
            @core_proxy = core_proxy
            @key = key
            @cancelled = false
          end

          def cancel
            @core_proxy.stop_timer(@key) unless @cancelled
            @cancelled = true
          end

          def cancelled? = @cancelled
        end
        private_constant :TimerHandle
      end
    end
  end
end
