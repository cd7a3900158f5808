# frozen_string_literal: true

module Raffia
  class Actor
    # Counts up, for any thread.
    #
    # @api private
    class IdSequence
      def initialize
        @lock = SpinLock.new
        @last = 0
      end

      def next = @lock.hold { @last += 1 }
    end

    # Actors that live in one loop, and end with it.
    #
    # @api private
    class ActorGroup
      def self.all = known.keys

      # In a forked child: the cores of its parent's actors at the fork.
      def self.forked = RactorLocal.fetch(:raffia_actor_forked) { [] }

      def self.known = RactorLocal.fetch(:raffia_actor_groups) { ObjectSpace::WeakMap.new }

      def initialize
        @lock = SpinLock.new
        @cores = {}.compare_by_identity
        @closing = @closed = false
        @ids = RactorLocal.fetch(:raffia_actor_ids) { IdSequence.new }
        @fork = Fork.after_child { invalidate_after_fork }
        ActorGroup.known[self] = true
      end

      def next_id = @ids.next

      def closed? = @closed

      def cores = @lock.hold { @cores.keys }

      def add(core)
        @lock.hold do
          if @closing
            raise Closed, "these actors are being ended: no other can be spawned among them"
          end

          @cores[core] = true
        end
      end

      def remove(core) = @lock.hold { @cores.delete(core) }

      # Calls the block after some seconds, and again after as many as it returns. It must not wait.
      def after(seconds, &block) = timer(&block).tap { |timer| timer.arm(seconds) }

      # Returns a {Timer} that is not armed. `at_end` is called when the block is over for good.
      def timer(at_end = nil, &block) = Timer.new(self, block, at_end)

      # Ends all actors, the youngest first. After the timeout the others are left to themselves.
      # Returns whether all have ended.
      def close(timeout = nil)
        give_up = Clock.now + timeout if timeout
        @lock.hold { @closing = true }
        ended = Raffia.shield { end_all(give_up) }
        leave
        ended
      end

      # Ends all actors without waiting: the thread is being killed.
      def abandon
        @closing = true
        leave
        cores.each { |core| core.die(:killed) }
      end

      private

      # Parents first: they end their children.
      def end_all(give_up)
        end_these(cores.reject(&:parent), give_up) && end_these(cores, give_up)
      end

      def end_these(some, give_up)
        some.reverse_each { |core| core.kill(:shutdown) }
        some.reverse_each do |core|
          core.join(give_up && [give_up - Clock.now, 0].max) or return false
        end
        true
      end

      def leave
        @lock.hold { @closed = true }
        @fork.remove
      end

      def invalidate_after_fork
        @closing = @closed = true
        @cores.each_key(&:invalidate_after_fork)
        ActorGroup.forked.concat(@cores.keys)
        @fork.remove
      end
    end
  end
end

require_relative "actor_group/timer"
