# frozen_string_literal: true

module Raffia
  class Actor
    # Links and monitors of one actor: those that its end is sent to, and those that it monitors.
    #
    # Most actors have none, so {ActorCore} makes this when it is first needed. The other side of a
    # link or monitor may be a {Remote::Proxy}.
    #
    # @api private
    class Links
      def initialize(core)
        @core = core
        @links = @observers = @monitored = @joiners = nil
      end

      def to_a = hold { @links&.keys || [] }

      # Sends this actor's exit to the other, now if it is dead.
      def add(other)
        ended = hold do
          next true if @core.dead?

          (@links ||= {}.compare_by_identity)[other] = true
          false
        end
        other.linked_exit(@core, @core.reason) if ended
      end

      def delete(other) = hold { @links&.delete(other) }

      # Calls the block once when the actor's object has ended; now if the actor is dead. Returns
      # the block, for {unobserve}.
      def observe(&block)
        late = hold do
          next true if @core.dead?

          (@observers ||= {}.compare_by_identity)[block] = true
          false
        end
        yield @core.ref, @core.reason if late
        block
      end

      def unobserve(block) = hold { @observers&.delete(block) }

      def observers = @observers.to_h.size

      # Runs the block as work of this actor's object when the other actor's object has ended.
      def monitor(other, &block)
        handle = nil
        call = lambda do |ref, reason|
          hold { @monitored&.delete(handle) }
          @core.urge { block.call(ref, reason) }
        end
        handle = call
        hold { (@monitored ||= {}.compare_by_identity)[handle] = other }
        other.watch(&call)
        handle
      end

      def demonitor(other, handle)
        hold { @monitored&.delete(handle) }
        other.unwatch(handle)
      end

      def demonitor_all
        hold { @monitored.tap { @monitored = nil } }&.each { |handle, other| other.unwatch(handle) }
      end

      def monitors = @monitored.to_h.size

      # Settles the reply when the actor is dead. Returns false when it is dead already.
      def add_joiner(reply)
        hold do
          next false if @core.dead?

          # A remote caller that stops waiting does not come to remove its reply.
          (@joiners ||= []).reject!(&:settled?)
          @joiners << reply
          true
        end
      end

      def joiners = @joiners.to_a.size

      def delete_joiner(reply) = hold { @joiners&.delete(reply) }

      def settle_joiners
        hold { @joiners.tap { @joiners = nil } }&.each { |reply| reply.settle(true) }
      end

      def announce(reason)
        links, observers = hold do
          [@links&.keys, @observers&.keys].tap { @links = @observers = nil }
        end
        links&.each { |other| other.linked_exit(@core, reason) }
        observers&.each { |block| block.call(@core.ref, reason) }
      end

      private

      def hold(&) = @core.lock.hold(&)
    end
  end
end
