# frozen_string_literal: true

module Raffia
  class Actor
    # Starts and closes the loop of actors that are spawned outside of {Raffia.run}.
    #
    # The loop has a thread of its own, started by the first such actor, and anew in a forked child.
    # Its actors are ended before the process ends.
    #
    # @api private
    class BackgroundLoop
      GRACE = 10

      def self.current = RactorLocal.fetch(:raffia_actor_background) { new }

      def self.group_of_caller = ActorLoop.here || current.group

      def initialize
        @lock = Thread::Mutex.new
        Fork.after_child { @lock = Thread::Mutex.new }
      end

      def group
        @lock.synchronize { (@group && !@group.closed?) ? @group : @group = open }
      end

      # Returns whether all actors have ended within so many seconds.
      def close(timeout = GRACE)
        close_group(timeout).tap { Executors::Threads.shared.close }
      end

      private

      def close_group(timeout)
        group, pool = @lock.synchronize { [@group, @pool].tap { @group = @pool = nil } }
        return true if group.nil? || group.closed?

        ended = group.close(timeout)
        pool&.shutdown(0)
        ended
      end

      def open
        Signals.before_exit(:raffia_actor_shutdown) { self.class.current.close } if RactorLocal.main?
        return TimerThreadGroup.new unless RUBY_ENGINE == "ruby"

        opened = Thread::Queue.new
        @pool = Pool.new(on: :threads, workers: 1, idle: nil)
        Deadline.replace(nil) { @pool.submit { run(opened) } }
        group = opened.pop
        raise group if group.is_a?(Exception)

        group
      end

      # Fibers that wait here wait for actors that other threads call, so this is never a deadlock.
      def run(opened)
        Message.clear_current
        Raffia.run(deadlock: :off, dump_on: :off) do
          group = ActorLoop.here
          opened << group
          group.wait_for_close
        end
      rescue Exception => error # standard:disable Lint/RescueException
        # The caller waits for the loop.
        opened << error
        raise
      end
    end
  end
end
