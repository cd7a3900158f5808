# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      class Distant
        # Who is told of its end, and of whose end it is told, as {ActorCore::Bonds} has it for
        # those of this side.
        #
        # @api private
        module Bonds
          # (see Links#watch)
          def watch(&block)
            line.watch(ref, block)
          rescue ActorDied => error
            yield ref, error.reason
            block
          end

          # @return [void]
          def unwatch(block) = known(nil) { line.unwatch(ref, block) }

          # (see Links#link)
          def link(other)
            other.add_link(self)
            add_link(other)
          end

          # @return [void]
          def unlink(other)
            other.delete_link(self)
            delete_link(other)
          end

          # A core of this side is to hear of the end of this one, once.
          # @return [void]
          def add_link(other)
            return if @bonds&.key?(other)

            told = lambda do |_, reason|
              @bonds.delete(other)
              other.linked_exit(self, reason)
            end
            (@bonds ||= {}.compare_by_identity)[other] = told
            watch(&told)
            nil
          rescue Exception # standard:disable Lint/RescueException
            @bonds.delete(other)
            raise
          end

          # @return [void]
          def delete_link(other)
            told = @bonds&.delete(other)
            unwatch(told) if told
          end

          # A linked actor of this side has ended.
          # @return [void]
          def linked_exit(other, reason)
            delete_link(other)
            Line::Words.for_reason(reason) { |why| line.tell(:linked_exit, ref, other.ref, why) }
          rescue ActorDied
            nil
          end
        end
      end
    end
  end
end
