# frozen_string_literal: true

module Raffia
  class Actor
    # Actors that live and end together.
    #
    # @api private
    class Household
      def initialize
        @guard = SpinLock.new
        @cores = {}.compare_by_identity
        @closing = @closed = false
        @fork = Fork.after_child { invalidate_after_fork }
        Household.known[self] = true
        Window.open_on_request
      end

      # @return [Array<ActorCore>] in a forked child: those that lived in its parent when it was
      #   forked
      def self.forked = RactorLocal.fetch(:raffia_actor_orphans) { [] }

      # @return [Array<Household>] of the running Ractor
      def self.all = known.keys

      def self.known = RactorLocal.fetch(:raffia_actor_households) { ObjectSpace::WeakMap.new }

      # @return [Boolean] whether nothing lives here any more, nor ever will
      def closed? = @closed

      # @return [Array<ActorCore>] that live here
      def cores = @guard.hold { @cores.keys }

      # @return [void]
      # @raise [Closed]
      def add(core)
        @guard.hold do
          if @closing
            raise Closed, "these actors are being ended: no other can be spawned among them"
          end

          @cores[core] = true
        end
      end

      # @return [void]
      def remove(core) = @guard.hold { @cores.delete(core) }

      # Calls the block after some time, and again after as many seconds as it returns. It must not
      # wait.
      # @param seconds [Numeric]
      # @return [Host::Timer]
      def after(seconds, &block) = timer(&block).tap { |timer| timer.arm(seconds) }

      # @param at_end [#call, nil] is told when the block will not be called any more
      # @return [Host::Timer] which is still to be armed
      def timer(at_end = nil, &block) = Host::Timer.new(self, block, at_end)

      # Ends all that lives here, the youngest first.
      # @param timeout [Numeric, nil] seconds after which what still lives is left to itself
      # @return [Boolean] whether all has ended
      def close(timeout = nil)
        give_up = Clock.now + timeout if timeout
        @guard.hold { @closing = true }
        ended = Raffia.shield { end_all(give_up) }
        leave
        ended
      end

      # The thread is being killed: nothing can be waited for any more.
      # @return [void]
      def abandon
        @closing = true
        leave
        cores.each { |core| core.die(:killed) }
      end

      private

      def end_all(give_up)
        end_these(cores.reject(&:parent), give_up) && end_these(cores, give_up)
      end

      # Those that have a parent are ended by it.
      def end_these(some, give_up)
        some.reverse_each { |core| core.kill(:shutdown) }
        some.reverse_each do |core|
          core.join(give_up && [give_up - Clock.now, 0].max) or return false
        end
        true
      end

      def leave
        @guard.hold { @closed = true }
        @fork.remove
      end

      # In a forked child: the loop is the parent's.
      def invalidate_after_fork
        @closing = @closed = true
        @cores.each_key(&:invalidate_after_fork)
        Household.forked.concat(@cores.keys)
        @fork.remove
      end
    end
  end
end
