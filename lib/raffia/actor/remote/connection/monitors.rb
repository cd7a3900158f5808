# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Connection
        # Monitors across one connection, in both directions.
        class Monitors
          def initialize(connection)
            @connection = connection
            @lock = SpinLock.new
            @own = {} # of this side, by key
            @served = {} # for the other side
          end

          def watch(ref, block)
            key = block.object_id
            @lock.hold { @own[key] = [ref, block] }
            # The connection may end at any time: its end takes what is there.
            if @connection.closed?
              notice(key, ref, @connection.reason)
            else
              @connection.ask(ref, :watch, ref, key)
            end
            block
          rescue ActorDied => died
            # The end of the connection has been noticed already, unless something else has ended.
            notice(key, ref, died.reason)
            block
          rescue Exception # standard:disable Lint/RescueException
            @lock.hold { @own.delete(key) } # the caller was interrupted
            raise
          end

          def unwatch(ref, block)
            key = block.object_id
            @connection.tell(:unwatch, ref, key) if @lock.hold { @own.delete(key) }
          end

          def notice(key, ref, reason)
            _, block = @lock.hold { @own.delete(key) }
            block&.call(ref, reason)
          end

          # The connection has ended, and with it all actors behind it.
          def close(reason)
            own, served = @lock.hold { [@own, @served].tap { @own, @served = {}, {} } }
            own.each_value { |ref, block| block.call(ref, reason) }
            served.each_value { |ref, block| ref.raffia_core.unwatch(block) }
          end

          # Monitors an actor of this side for the other one.
          def serve(ref, key)
            block = lambda do |one, reason|
              next unless @lock.hold { @served.delete(key) }

              ErrorCodec.with_reason(reason) { |why| @connection.tell(:watched, key, one, why) }
            end
            return if @connection.closed?

            @lock.hold { @served[key] = [ref, block] }
            ref.raffia_core.watch(&block)
            # The connection may have ended in between.
            stop_serving(ref, key) if @connection.closed?
            nil
          end

          def stop_serving(ref, key)
            _, block = @lock.hold { @served.delete(key) }
            ref.raffia_core.unwatch(block) if block
          end

          def size = @lock.hold { @own.size }
        end
      end
    end
  end
end
