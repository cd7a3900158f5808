# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # How an actor begins, fails, begins again and ends.
      #
      # @api private
      module Living
        # Makes its object, and waits for that.
        # @return [Ref]
        # @raise [Exception] what its `initialize` or `on_start` raised: then there is no actor
        def start
          @host.add(self)
          @place.here? ? give_birth : @place.run { give_birth }
          ref
        rescue Exception => error # standard:disable Lint/RescueException
          bury(error)
          raise
        end

        # Takes no more messages, and ends after those that it has.
        # @return [Boolean] whether it had not ended, nor been asked to
        def stop(reason)
          conclude { @mailbox.append(-> { finish(reason) }) if alive? }
        end

        # Ends without the messages that wait, and breaks off the one that is being worked on.
        # @return [Boolean] whether it had not ended
        def kill(reason)
          runner = region = nil
          done = conclude do
            @doom = reason
            region = @region
            runner = @runner
            @mailbox.urge(-> {})
          end
          region&.cancel(reason)
          @place.interrupt(runner, reason) if done
          done
        end

        # @return [Cell, nil]
        def join(timeout = nil)
          waiter = @guard.hold { (@joiners ||= []) << Waiter.new unless @status == :dead }&.last or return self
          (waiter.wait(timeout) == Waiter::TIMED_OUT) ? nil : self
        ensure
          @guard.hold { @joiners&.delete(waiter) } if waiter
        end

        # A fresh object takes over, with the messages that wait. Called by whoever decides that, after {Supervised#ended}.
        # @return [Exception, nil] what kept it from that
        def restart
          @restarts += 1
          @doom = nil
          @place.run { give_birth }
          nil
        rescue => error
          error
        end

        # There will be no other object.
        # @return [void]
        def bury(reason)
          messages, joiners = @guard.hold do
            return if @status == :dead

            @status = :dead
            @reason = reason
            @subject = nil
            [@mailbox.clear, @joiners].tap { @joiners = nil }
          end
          @host.remove(self)
          Registry.current.release(@name, ref) if @name
          messages.each { |message| message.reply&.fail(ActorDied.new(ref: ref, reason: reason)) if message.is_a?(Message) }
          joiners&.each(&:settle)
          announce(reason)
        end

        # In a forked child, which has none of the loops and threads of its parent.
        # @return [void]
        def orphan
          @status = :dead
          @reason = :forked
        end

        private

        # @yieldreturn [Object, nil] what is to be done last; nil: that has been said
        # @return [Boolean]
        def conclude
          waits = false
          wanted = @guard.hold do
            return false if @status == :dead || @doom || !yield

            waits = @status == :restarting
            @status = :stopping
            !@active && @active = true
          end
          # Between two objects there is none that could work.
          return finish(@doom || :normal) || true if waits

          dispatch(false) if wanted
          true
        end

        def give_birth
          hook(:on_start) { @subject = @birth.give(self) }
          more = @guard.hold do
            @status = :running unless @status == :stopping
            @active = !@mailbox.empty?
          end
          dispatch(false) if more
        end

        # The object is lost. What follows is decided by the parent, if there is one.
        def crash(error)
          @guard.hold do
            @life += 1 # whoever works for this one is to leave
            @region = nil
            @active = false
            @status = :restarting if @parent && @status == :running
          end
          end_life(error)
          return bury(error) unless @status == :restarting

          announce(error)
          @parent.ended(self, error)
        end

        # It ends because it was asked to.
        def finish(reason)
          end_life(reason)
          bury(reason)
          @parent&.ended(self, reason)
        end

        def end_life(reason)
          stop_timers
          hook(:on_stop, reason) if @subject
          @subject = nil
        end

        # Code of the user's that has no caller.
        def hook(name, *arguments)
          Message.new(self, name, arguments, nil, nil, nil, nil, nil).begin do
            yield if block_given?
            @subject.__send__(name, *arguments)
          end
        rescue => error
          raise if name == :on_start

          Raffia.log.error("#{label}: #{name} failed: #{error.full_message(highlight: false)}")
        end
      end
    end
  end
end
