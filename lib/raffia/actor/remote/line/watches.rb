# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Line
        # Who on this side is to hear of the end of an actor of the other's, and the other way round.
        #
        # @api private
        module Watches
          # @param ref [Ref] of the other side's
          # @param block [Proc]
          # @return [Proc]
          def watch(ref, block)
            ended = @guard.hold { @closed || !((@watches ||= {}.compare_by_identity)[block] = [ref, @watches.size]) }
            ended ? block.call(ref, @reason) : ask(ref, :watch, ref, block.object_id)
            block
          end

          # @return [void]
          def unwatch(ref, block)
            ask(ref, :unwatch, ref, block.object_id) if @guard.hold { @watches&.delete(block) }
          end

          # One of them has ended.
          # @return [void]
          def notice(key, ref, reason)
            block = @guard.hold do
              found = @watches&.keys&.find { |one| one.object_id == key }
              @watches.delete(found) && found if found
            end
            block&.call(ref, reason)
          end

          # The line itself has: so has all that was behind it.
          # @return [void]
          def forget_watches(reason)
            watches, kept = @guard.hold { [@watches, @kept].tap { @watches = @kept = nil } }
            watches&.each { |block, (ref, _)| block.call(ref, reason) }
            kept&.each_value { |ref, block| ref.raffia_cell.unwatch(block) }
          end

          # For the other side.
          # @return [void]
          def watch_for(ref, key)
            block = ->(one, reason) { @guard.hold { @kept&.delete(key) } && Words.for_reason(reason) { |why| tell(:watched, key, one, why) } }
            @guard.hold { (@kept ||= {})[key] = [ref, block] }
            ref.raffia_cell.watch(&block)
            nil
          end

          # @return [void]
          def unwatch_for(ref, key)
            _, block = @guard.hold { @kept&.delete(key) }
            ref.raffia_cell.unwatch(block) if block
          end
        end
      end
    end
  end
end
