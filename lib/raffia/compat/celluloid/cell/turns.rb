# frozen_string_literal: true

module Celluloid
  class Cell
    # Whose turn it is. Only who has it runs code of the actor's: the fiber or thread that works
    # through the mailbox has it, keeps it for a task's code, gives it away while that task waits,
    # and gets it back through the mailbox.
    module Turns
      # Something to be done in its turn, which is no call.
      class Order < ::Raffia::Actor::Message
        # @param reply [#fail, nil] who is to know when nothing comes of it
        def initialize(cell, block, reply = nil)
          super(cell, :order, nil, nil, block, reply, nil, nil)
        end
      end

      # Lets the actor go on without this task while the block waits. The block returns, or raises,
      # when the turn is this task's again.
      def aside
        region = @region
        more = @guard.hold do
          @region = nil
          @active = !@mailbox.empty?
        end
        wake if more
        yield
      ensure
        @region = region
      end

      # What a task waited for is there.
      # @param suspension [Internals::Suspension]
      # @return [void]
      def resume(suspension)
        now = @guard.hold do
          next true if @status == :dead
          next take_up(suspension) if @active

          @active = true
        end
        # One that has stopped waiting leaves the turn to what waits.
        wake if now && !suspension.take && @status != :dead
      end

      # Something to be done after what waits; there is always room for it.
      # @return [Boolean] whether it has not ended
      def post(reply = nil, &block)
        put_in { alive? && (@mailbox.append(Order.new(self, block, reply)) || true) }
      end

      # Something to be done before what waits.
      # @return [void]
      def urge(&block)
        put_in { @status != :dead && (@mailbox.urge(Order.new(self, block)) || true) }
      end

      # @return [void]
      def deliver(call, now)
        case place = put(call, now)
        when ::Raffia::Actor::Message then drop(place)
        when ::Raffia::Waiter then wait_for_room(call, place)
        end
      end

      # Some of what waits.
      # @return [void]
      def work
        more = ::Raffia::Deadline.replace(nil) do
          @place.enter(self) { |region| work_through(region) }
        end
        wake if more
      rescue ::Raffia::Cancel
        finish(@doom&.reason)
      rescue Exception => error # standard:disable Lint/RescueException
        # Of a logger of the program's, say: that ends this actor, and not the loop that all live
        # in.
        ::Raffia::Actor.complain("#{label} failed in the midst of it", error)
        bury(error)
      end

      private

      # An error comes before what follows it, such as the end of the actor that is linked with this
      # one.
      # @return [nil]
      def take_up(suspension)
        suspension.failed? ? @mailbox.urge(suspension) : @mailbox.append(suspension)
        nil
      end

      # @yieldreturn [Boolean] whether it was put in
      def put_in
        wanted = @guard.hold do
          return false unless yield

          !@active && @active = true
        end
        wake if wanted
        true
      end

      # @return [Boolean] whether there is more to do, for whoever works here next
      def work_through(region)
        ::Raffia::Actor::Message.none
        life = @guard.hold { (@region = region) && @life }
        ::Raffia::Actor::Cell::TURN.times do
          item = @guard.hold { take(life) } or return false
          case item
          when Order then item.block.call
          when Internals::Suspension then return false if item.take
          else perform(item)
          end
        end
        true
      end

      # @param life [Integer] when it has ended meanwhile nobody is to go on
      def take(life)
        return unless life == @life
        raise ::Raffia::Cancel.new(@doom.reason, origin: self) if @doom

        @mailbox.shift || (@active = false) || nil
      end
    end
  end
end
