# frozen_string_literal: true

module Raffia
  class Actor
    class Host
      # The loop of actors that are spawned outside of {Raffia.run}: in a thread of its own, which is started by the first of them, and anew
      # in a forked child.
      #
      # @api private
      class Background
        def initialize
          @lock = Thread::Mutex.new
        end

        # @return [Host]
        def host
          @lock.synchronize { (@host && !@host.closed?) ? @host : @host = begun }
        end

        private

        def begun
          born = Thread::Queue.new
          @pool = Pool.new(on: :threads, workers: 1, idle: nil)
          @pool.submit { live(born) }
          born.pop
        end

        # Whoever waits here waits for actors that others want something of, so it can never be a deadlock.
        def live(born)
          Raffia.run(deadlock: :off, dump_on: :off) do
            born << Host.here
            Waiter.new.wait
          end
        end
      end
    end
  end
end
