# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Counts requests of clients against a rate, in memory of a fixed size that worker processes
      # share.
      #
      # The algorithm is GCRA: a number says until when a client's requests are paid for. A client
      # has a number in each of two rows, by its hash, and is over its rate when both say so. Two
      # clients that share one number therefore do not limit each other.
      #
      # @api private
      class ClientRates
        # Numbers of a row, a power of two.
        ROW = 1 << 15
        private_constant :ROW

        # Memory for all workers, made before they are forked; nil when nothing is limited.
        def self.memory(options) = (Native::SharedCounters.new(2 * ROW) if options.client_rate)

        # `rate`: requests a second; `burst`: requests that may come at once.
        def initialize(memory, rate, burst)
          @memory = memory
          @interval = [1_000_000 / rate, 1].max
          @allowed = @interval * burst
        end

        # Seconds until the client may ask again; nil: the request is within its rate.
        def exceeded(client, now = microseconds)
          hash = client.hash
          first = hash & (ROW - 1)
          second = ROW + ((hash >> 20) & (ROW - 1))
          late = [charge(first, now), charge(second, now)].min - @allowed
          return unless late.positive?

          # A refused request costs nothing, or a client that goes on would never be served.
          [first, second].each { |index| @memory.add(index, -@interval) }
          late / 1e6
        end

        private

        # Atomic, as each of both steps is. Microseconds that are paid for from now on.
        def charge(index, now)
          @memory.raise_to(index, now)
          @memory.add(index, @interval) - now
        end

        # The clock of all processes of this machine.
        def microseconds = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC, :microsecond)
      end
    end
  end
end
