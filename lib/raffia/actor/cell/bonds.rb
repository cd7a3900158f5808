# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Who is told when an actor ends: those that are linked with it end, too; those that watch it
      # hear of it.
      #
      # @api private
      module Bonds
        # Both ways.
        # @param other [Cell]
        # @return [void]
        def link(other)
          return if other.equal?(self)

          bind(other)
          other.bind(self)
        end

        # @return [void]
        def unlink(other)
          unbind(other)
          other.unbind(self)
        end

        # @return [Array<Cell>]
        def links = @guard.hold { @links&.keys || [] }

        # @return [void]
        def bind(other)
          ended = @guard.hold do
            next true if @status == :dead

            (@links ||= {}.compare_by_identity)[other] = true
            false
          end
          other.linked_ended(self, @reason) if ended
        end

        # @return [void]
        def unbind(other) = @guard.hold { @links&.delete(other) }

        # Has the block called, once, when this actor's object has ended; now, if it has.
        # @yieldparam ref [Ref]
        # @yieldparam reason [Object]
        # @return [Object] for {unwatch}
        def watch(&block)
          late = @guard.hold do
            next true if @status == :dead

            (@watchers ||= {}.compare_by_identity)[block] = true
            false
          end
          yield ref, @reason if late
          block
        end

        # @return [void]
        def unwatch(block) = @guard.hold { @watchers&.delete(block) }

        # Has the block run as work of this actor's, while it has the same object, when the other
        # has ended.
        # @param other [Cell]
        # @yieldparam ref [Ref]
        # @yieldparam reason [Object]
        # @return [Object] for {demonitor}
        def monitor(other, &block)
          handle = nil
          call = lambda do |ref, reason|
            @guard.hold { @watched&.delete(handle) }
            urge { block.call(ref, reason) }
          end
          handle = call
          @guard.hold { (@watched ||= {}.compare_by_identity)[handle] = other }
          other.watch(&call)
          handle
        end

        # @return [void]
        def demonitor(other, handle)
          @guard.hold { @watched&.delete(handle) }
          other.unwatch(handle)
        end

        # A linked actor has ended.
        # @return [void]
        def linked_ended(other, reason)
          unbind(other)
          return urge { @subject.on_exit(other.ref, reason) } if @settings.trap_exit

          kill(reason) unless reason == :normal
        end

        # Has the block run as work of the actor's, before the messages that wait.
        # @param event [Message]
        # @return [void]
        def urge(event = nil, &block)
          wanted = @guard.hold do
            # What is said to an object is not for the next one. But a notice of a child may come
            # while that is being made, and is for it.
            return if @status == :dead || (@status == :restarting && event.nil?)

            @mailbox.urge(event || Event.new(self, block))
            @status == :running && seize
          end
          wake if wanted
        end

        private

        def announce(reason)
          links, watchers = @guard.hold {
            [@links&.keys, @watchers&.keys].tap { @links = @watchers = nil }
          }
          links&.each { |other| other.linked_ended(self, reason) }
          watchers&.each { |block| block.call(ref, reason) }
        end
      end
    end
  end
end
