# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # Who is told when an actor ends: those that are linked with it end, too; those that watch it hear of it.
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

        # A linked actor has ended.
        # @return [void]
        def linked_ended(other, reason)
          unbind(other)
          return urge { hook(:on_exit, other.ref, reason) } if @settings.trap_exit

          kill(reason) unless reason == :normal
        end

        # Has the block run as work of the actor's, before the messages that wait.
        # @return [void]
        def urge(&block)
          wanted = @guard.hold do
            return if @status == :dead

            @mailbox.urge(block)
            !@active && @status == :running && @active = true
          end
          dispatch(false) if wanted
        end

        # Runs code of the actor's that is no message's.
        def within(&block) = Message.new(self, :event, nil, nil, nil, nil, nil, nil).begin(&block)

        # @param seconds [Numeric]
        # @param again [Boolean] every so many seconds
        # @return [Host::Timer]
        def set_timer(seconds, again, &block)
          tick = Tick.new(self, block)
          timer = @host.after(seconds) do
            deliver_tick(tick) if tick.over?
            seconds if again
          end
          @guard.hold { (@timers ||= []) << timer }
          timer
        end

        private

        # One for which there is no room is left out: there will be another, or its actor has more than enough to do.
        def deliver_tick(tick)
          put(tick.again, false) if alive? && @status != :restarting
        rescue Full, ActorDied
          nil
        end

        def announce(reason)
          links, watchers = @guard.hold { [@links&.keys, @watchers&.keys].tap { @links = @watchers = nil } }
          links&.each { |other| other.linked_ended(self, reason) }
          watchers&.each { |block| block.call(ref, reason) }
        end

        def stop_timers
          @guard.hold { @timers.tap { @timers = nil } }&.each(&:cancel)
        end
      end
    end
  end
end
