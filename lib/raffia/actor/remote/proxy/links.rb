# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Proxy
        # Links and monitors of an actor elsewhere, as {Actor::Links} has them for one of this side.
        module Links
          def watch(&block)
            connection.monitors.watch(ref, block)
          rescue ActorDied => error
            yield ref, error.reason
            block
          end

          def unwatch(block) = known(nil) { connection.monitors.unwatch(ref, block) }

          def link(other)
            other.add_link(self)
            add_link(other)
          end

          def unlink(other)
            other.delete_link(self)
            delete_link(other)
          end

          # Sends this actor's exit to an actor of this side, once.
          def add_link(other)
            return if @links&.key?(other)

            notify = lambda do |_, reason|
              @links.delete(other)
              other.linked_exit(self, reason)
            end
            (@links ||= {}.compare_by_identity)[other] = notify
            watch(&notify)
            nil
          rescue Exception # standard:disable Lint/RescueException
            @links.delete(other)
            raise
          end

          def delete_link(other)
            notify = @links&.delete(other)
            unwatch(notify) if notify
          end

          # A linked actor of this side has ended.
          def linked_exit(other, reason)
            delete_link(other)
            ErrorCodec.with_reason(reason) do |why|
              connection.tell(:linked_exit, ref, other.ref, why)
            end
          rescue ActorDied
            nil
          end
        end
      end
    end
  end
end
