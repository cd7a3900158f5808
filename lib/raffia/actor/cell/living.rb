# frozen_string_literal: true

module Raffia
  class Actor
    class Cell
      # How an actor begins, and begins again.
      #
      # @api private
      module Living
        # Makes its object, and waits for that.
        # @return [Ref]
        # @raise [Exception] what its `initialize` or `on_start` raised: then there is no actor
        def start
          error = move_in || born or return ref
          raise error
        end

        # A fresh object takes over, with the messages that wait. Called by whoever was told that
        # the last one has ended.
        # @return [Exception, nil] what kept it from that; then it is :restarting as before, or dead
        def restart
          @guard.hold do
            return ActorDied.new(ref: ref, reason: @reason) if @status != :restarting || @active

            @active = true
            @restarts += 1
          end
          born
        end

        # @return [Cell, nil]
        def join(timeout = nil)
          raise CallCycle.new(calls: [Message.current.inspect, "#{label}#join"]) if inside?

          waiter = @guard.hold { (@joiners ||= []) << Waiter.new unless @status == :dead }&.last or
            return self
          (waiter.wait(timeout) == Waiter::TIMED_OUT) ? nil : self
        ensure
          @guard.hold { @joiners&.delete(waiter) } if waiter
        end

        # Has the reply settled when it has ended.
        # @param reply [#settle, #settled?]
        # @return [void]
        def tell_end(reply)
          ended = @guard.hold do
            next true if @status == :dead

            # Who has asked from elsewhere does not come to take himself off.
            (@joiners ||= []).reject!(&:settled?)
            @joiners << reply
            false
          end
          reply.settle(true) if ended
        end

        private

        # @return [Closed, nil]
        def move_in
          @host.add(self)
          nil
        rescue Closed => error
          stillborn(error)
        end

        # @return [Exception, nil]
        def born
          parent = Message.current
          @place.run { give_birth(parent) }
        rescue Closed => error # before it began
          stillborn(error)
        rescue Exception # standard:disable Lint/RescueException
          # Whoever waited for it has gone, and nobody would know it.
          break_off(Doom.new(:cancelled, !supervised?))
          raise
        end

        # @param parent [Message, nil] the one in which whoever makes it waits for this
        def give_birth(parent)
          @place.enter(self) do |region|
            @guard.hold do
              @doom ? (raise Cancel.new(@doom.reason, origin: self)) : @region = region
            end
            @place.expose(region) { enliven(parent) }
          end
          through = true
          take_up
        rescue Exception => error # standard:disable Lint/RescueException
          through = true
          stillborn((@doom && error.is_a?(Cancel)) ? ActorDied.new(ref: ref, reason: @doom.reason) :
            error)
        ensure
          stillborn(:killed) unless through # Thread#kill and Fiber#kill get past every rescue
        end

        def enliven(parent)
          reason = @reason
          hook(:on_start, parent: parent) { @subject = @place.give(@birth, self) }
          hook(:on_restart, reason, parent: parent) if @restarts.positive?
        end

        # @return [nil]
        def take_up
          more = @guard.hold do
            @region = @reason = nil
            @status = :running unless @status == :stopping || @status == :dead
            @active = !@doom.nil? || !@mailbox.empty?
          end
          @place.go_on(self) if more
          nil
        end

        def stillborn(error)
          let_go
          broken = false
          waits = @guard.hold do
            next if @restarts.zero? || @status != :restarting || @doom&.final?

            broken = !@doom.nil?
            @doom = nil
            @active = false
            true
          end
          # Whoever had it made may have gone: a supervisor that is ending itself.
          tell_parent(error) if broken && supervised?
          return error if waits

          bury(error)
          tell_parent(error) unless @restarts.zero?
          error
        end

        # Runs code of the user's that has no caller.
        def hook(name, *arguments, subject: nil, parent: nil)
          Message.new(self, name, arguments, nil, nil, nil, nil, parent).begin do
            yield if block_given?
            (subject || @subject).__send__(name, *arguments)
          end
        end
      end
    end
  end
end
