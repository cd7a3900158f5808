# frozen_string_literal: true

module Raffia
  class Actor
    # Looks after the workers of a pool: there are as many as there should be, and they end with it.
    #
    # @api private
    class PoolKeeper < Actor
      # Seconds until a worker that could not begin is tried again; twice as many each time.
      FIRST_PAUSE = 0.1
      LONGEST_PAUSE = 5
      # How often that is tried in a row. Then the pool itself has failed, so that nobody waits for ever.
      PATIENCE = 10

      # @return [Integer]
      # @raise [ConfigError]
      def self.count(size)
        return size if size.is_a?(Integer) && size.positive?

        raise ConfigError, "size: #{size.inspect} means nothing here: give a whole number from 1 up"
      end

      # @param birth [PoolCell::Birth]
      def initialize(birth)
        @birth = birth
        @pool = @raffia_cell
      end

      def on_start
        grow(@birth.size)
      rescue
        dismiss(@pool.workers, false, :shutdown)
        raise
      end

      def on_stop(reason) = dismiss(@pool.workers, @pool.finishing?, reason)

      # @return [void]
      def resize(size)
        more = size - @pool.workers.size
        return dismiss(@pool.workers.last(-more), true, :normal) unless more.positive?

        grow(more)
      rescue => error
        refuse(error)
      end

      # A worker's new object could not be made.
      def missed(worker, error, attempt)
        raise error if attempt >= PATIENCE

        pause = [FIRST_PAUSE * 2**(attempt - 1), LONGEST_PAUSE].min
        # In a fiber of its own: what a worker begins with may take its time, and others are to be looked after meanwhile.
        after(pause) { @pool.host.later { @pool.revive(worker, attempt + 1) } }
      end

      private

      def grow(number) = number.times { @pool.hire }

      # @param finish [Boolean] whether they do what they have to do before
      def dismiss(workers, finish, reason)
        @pool.leave(workers)
        workers.each { |worker| finish ? finish(worker, reason) : worker.kill(reason, final: true) }
        workers.each(&:join)
      end

      # One that waits until it is tried again has to do that now.
      def finish(worker, reason)
        @pool.revive(worker)
        worker.stop(reason, final: true)
      end
    end
  end
end
