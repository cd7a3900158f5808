# frozen_string_literal: true

module Raffia
  class Actor
    # Keeps as many workers in a pool as there should be, and ends them with it.
    #
    # @api private
    class PoolManager < Actor
      # Seconds before a worker that could not start is tried again, doubled each time.
      FIRST_PAUSE = 0.1
      LONGEST_PAUSE = 5
      # Attempts in a row to start a worker. Then the pool itself fails, so that no caller waits for
      # ever.
      ATTEMPTS = 10
      # Seconds that killed workers have to end. Code that only computes is left to itself.
      KILL_TIMEOUT = 5

      def self.count(size)
        return size if size.is_a?(Integer) && size.positive?

        raise ConfigError, "size: #{size.inspect} means nothing here: give a whole number from 1 up"
      end

      def initialize(factory)
        @factory = factory
        @pool = @raffia_core
      end

      def on_start
        grow(@factory.size)
      rescue Exception # standard:disable Lint/RescueException
        Raffia.shield { dismiss(@pool.workers, false, :shutdown) }
        raise
      end

      def on_stop(reason) = dismiss(@pool.workers | @pool.draining, @pool.finishing?, reason)

      # Passes on a message that came while there was no worker. See {Message#invoke}.
      def public_send(*, **)
        @pool.forward(Message.current)
      rescue ActorDied, Full, CallCycle => error
        refuse(error)
      end

      private

      def resize(size)
        more = size - @pool.workers.size
        return dismiss(@pool.workers.last(-more), true, :normal) unless more.positive?

        grow(more)
      rescue => error
        refuse(error)
      end

      def restart_failed(worker, error, attempt)
        raise error if attempt >= ATTEMPTS

        pause = [FIRST_PAUSE * 2**(attempt - 1), LONGEST_PAUSE].min
        # In a fiber of its own: starting a worker may take long.
        after(pause) { @pool.group.later { @pool.revive(worker, attempt + 1) } }
      end

      def grow(number) = number.times { @pool.add_worker }

      def dismiss(workers, finish, reason)
        @pool.drain(workers) { finish ? finish(workers, reason) : kill(workers, reason) }
      end

      # A worker that waits for its next attempt has to make it now.
      def finish(workers, reason)
        workers.each do |worker|
          @pool.revive(worker)
          worker.stop(reason, final: true)
        end
        workers.each(&:join)
      end

      def kill(workers, reason)
        give_up = Clock.now + KILL_TIMEOUT
        workers.each { |worker| worker.kill(reason, final: true) }
        workers.each { |worker| worker.join([give_up - Clock.now, 0].max) || worker.abandon }
      end
    end
  end
end
