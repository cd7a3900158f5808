# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Distant
        # Who is told of its end, and of whose end it is told, as {Cell::Bonds} has it for those of
        # this side.
        #
        # @api private
        module Bonds
          # (see Cell::Bonds#watch)
          def watch(&block)
            line.watch(ref, block)
          rescue ActorDied => error
            yield ref, error.reason
            block
          end

          # @return [void]
          def unwatch(block) = known(nil) { line.unwatch(ref, block) }

          # (see Cell::Bonds#link)
          def link(other)
            other.bind(self)
            bind(other)
          end

          # @return [void]
          def unlink(other)
            other.unbind(self)
            unbind(other)
          end

          # A cell of this side is to hear of the end of this one, once.
          # @return [void]
          def bind(other)
            return if @bonds&.key?(other)

            told = lambda do |_, reason|
              @bonds.delete(other)
              other.linked_ended(self, reason)
            end
            (@bonds ||= {}.compare_by_identity)[other] = told
            watch(&told)
            nil
          rescue Exception # standard:disable Lint/RescueException
            @bonds.delete(other)
            raise
          end

          # @return [void]
          def unbind(other)
            told = @bonds&.delete(other)
            unwatch(told) if told
          end

          # A linked actor of this side has ended.
          # @return [void]
          def linked_ended(other, reason)
            unbind(other)
            Line::Words.for_reason(reason) { |why| line.tell(:linked_ended, ref, other.ref, why) }
          rescue ActorDied
            nil
          end
        end
      end
    end
  end
end
