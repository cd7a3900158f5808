# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Line
        # Who on this side is to hear of the end of an actor of the other's, and the other way
        # round.
        #
        # @api private
        module Watches
          # @param ref [Ref] of the other side's
          # @param block [Proc]
          # @return [Proc]
          def watch(ref, block)
            kept = @guard.hold do
              @closed ? false : (@watches ||= {})[block.object_id] = [ref, block]
            end
            kept ? ask(ref, :watch, ref, block.object_id) : block.call(ref, @reason)
            block
          rescue ActorDied => died
            # The end of the line has told it already, unless it was something else that has ended.
            notice(block.object_id, ref, died.reason)
            block
          rescue Exception # standard:disable Lint/RescueException
            # whoever was interrupted does not want to hear of it
            @guard.hold { @watches&.delete(block.object_id) }
            raise
          end

          # @return [void]
          def unwatch(ref, block)
            if @guard.hold { @watches&.delete(block.object_id) }
              tell(:unwatch, ref, block.object_id)
            end
          end

          # One of them has ended.
          # @return [void]
          def notice(key, ref, reason)
            _, block = @guard.hold { @watches&.delete(key) }
            block&.call(ref, reason)
          end

          # The line itself has: so has all that was behind it.
          # @return [void]
          def forget_watches(reason)
            watches, kept = @guard.hold { [@watches, @kept].tap { @watches = @kept = nil } }
            watches&.each_value { |ref, block| block.call(ref, reason) }
            kept&.each_value { |ref, block| ref.raffia_core.unwatch(block) }
          end

          # For the other side.
          # @return [void]
          def watch_for(ref, key)
            block = ->(one, reason) {
              @guard.hold { @kept&.delete(key) } &&
                Words.for_reason(reason) { |why| tell(:watched, key, one, why) }
            }
            @guard.hold { @closed ? (return) : (@kept ||= {})[key] = [ref, block] }
            ref.raffia_core.watch(&block)
            # The line may have ended in between.
            ref.raffia_core.unwatch(block) if @closed
            nil
          end

          # @return [void]
          def unwatch_for(ref, key)
            _, block = @guard.hold { @kept&.delete(key) }
            ref.raffia_core.unwatch(block) if block
          end
        end
      end
    end
  end
end
