# frozen_string_literal: true

module Raffia
  class Actor
    class Host
      # The loop of actors that are spawned outside of {Raffia.run}: in a thread of its own, which
      # is started by the first of them, and anew in a forked child. The process does not end before
      # they have been told.
      #
      # @api private
      class Background
        # @return [Background] of the running Ractor
        def self.current = RactorLocal.fetch(:raffia_actor_background) { new }

        def initialize
          @lock = Thread::Mutex.new
          Fork.after_child { @lock = Thread::Mutex.new }
        end

        # @return [Household]
        def host
          @lock.synchronize { (@host && !@host.closed?) ? @host : @host = begun }
        end

        # @param timeout [Numeric, nil] seconds
        # @return [Boolean] whether all of them have ended
        def close(timeout)
          host, pool = @lock.synchronize { [@host, @pool].tap { @host = @pool = nil } }
          return true if host.nil? || host.closed?

          ended = host.close(timeout)
          pool&.shutdown(0)
          ended
        end

        private

        def begun
          Signals.before_exit(:raffia_actor_shutdown) { Actor.shutdown } if RactorLocal.main?
          return Clockwork.new unless RUBY_ENGINE == "ruby"

          born = Thread::Queue.new
          @pool = Pool.new(on: :threads, workers: 1, idle: nil)
          Deadline.replace(nil) { @pool.submit { live(born) } }
          host = born.pop
          raise host if host.is_a?(Exception)

          host
        end

        # Whoever waits here waits for actors that others want something of, so it can never be a
        # deadlock.
        def live(born)
          Message.clear_current
          Raffia.run(deadlock: :off, dump_on: :off) do
            host = Host.here
            born << host
            host.stay
          end
        rescue Exception => error # standard:disable Lint/RescueException
          # Whoever waits for the loop is told that there is none.
          born << error
          raise
        end
      end
    end
  end
end
