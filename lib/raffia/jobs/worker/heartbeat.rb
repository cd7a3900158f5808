# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Holds the worker's lease, and renews it by heartbeats, which send the store what runs and
      # what was counted, and return commands for the worker. Registers anew when the lease was
      # lost.
      #
      # It runs in a thread of its own: a job that computes blocks the event loop, and must not lose
      # its lease for that.
      # @api private
      class Heartbeat
        # Seconds between two attempts to reach the store.
        RETRY_INTERVAL = 1
        private_constant :RETRY_INTERVAL

        # Nil before {register}.
        attr_reader :lease
        # Message of the error when the last heartbeat could not be written.
        attr_reader :last_error

        # Times in seconds.
        def initialize(store, info, ttl:, interval:, metrics:, counts:, log:,
          identity: Heartbeat.new_identity, shared_lease: nil)
          @store = store
          @info = info
          @ttl = ttl
          @interval = interval
          @metrics = metrics
          @counts = counts
          @log = log
          @identity = identity
          @shared_lease = shared_lease
          @requests = ::Thread::Queue.new
          @abandon_at = nil
        end

        # HOST:PID:NONCE.
        def self.new_identity = "#{Socket.gethostname}:#{::Process.pid}:#{SecureRandom.hex(6)}"

        def register
          @lease = @store.enroll(@identity, @info, ttl: @ttl)
          @shared_lease&.lease = @lease
          @renewed_at = Clock.now
        end

        # The process was suspended, or the store was unavailable: the lease may have expired.
        def overdue? = Clock.now - @renewed_at > @ttl

        # Returns after {stop}, or when {abandon_after} is due. +state+ makes what {Store#beat}
        # takes; yields each command.
        def run(state, &)
          next_at = 0
          until (request = @requests.pop(timeout: seconds_until(next_at))) == :stop
            return abandon if @abandon_at && Clock.now >= @abandon_at
            next unless request == :beat || Clock.now >= next_at

            next_at = Clock.now +
              (beat(state.call, &) ? @interval : [RETRY_INTERVAL, @interval].min)
          end
        end

        # Gives the lease back after so many seconds: a blocked event loop cannot. From any thread,
        # and from a trap.
        def abandon_after(seconds)
          @abandon_at = Clock.now + seconds
          @requests.push(:beat)
        end

        def on_beat(&block) = @on_beat = block

        def beat_now = @requests.push(:beat)

        def stop = @requests.push(:stop)

        def lost?(lease) = lease.token != @lease.token

        def resign
          @store.resign(@lease, tally: @metrics.take)
          @shared_lease&.clear
        rescue StoreUnavailable => error
          @log.warn({event: "resign failed", error: error.message})
        end

        private

        def seconds_until(time) = ([time, *@abandon_at].min - Clock.now).clamp(0..)

        def abandon
          resign
          @log.fatal({event: "lease given back",
            why: "the worker must end, and a job that computes prevents it: use on: :processes " \
              "for such jobs"})
        end

        def beat(state, &)
          commands = send_beat(state)
          commands ? renewed(commands, &) : register_again
          @last_error = nil
          true
        rescue StoreUnavailable => error
          @last_error = error.message
          @log.debug({event: "heartbeat failed", error: error.message})
          false
        end

        def renewed(commands, &)
          @shared_lease&.renewed
          @renewed_at = Clock.now
          commands.each(&) # first: the store does not give them again
          @on_beat&.call(@lease)
        end

        def send_beat(state)
          tally = @metrics.take
          @counts.time_call("beat") { @store.beat(@lease, state, tally: tally) }
        rescue StoreUnavailable
          @metrics.put_back(tally)
          raise
        end

        # Claims under the old lease may be another worker's by now.
        def register_again
          lost = @lease
          register
          @log.error({event: "lease lost", token: lost.token, new: @lease.token,
                      why: "no heartbeat for #{@ttl} s: another worker runs its jobs again"})
        end
      end
    end
  end
end
