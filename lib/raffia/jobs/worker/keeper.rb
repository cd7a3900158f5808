# frozen_string_literal: true

require "securerandom"
require "socket"
require_relative "../../base/clock"
require_relative "../../process/memory"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Keeps the lease: shows a sign of life now and then, with what is being done, and brings the orders that come back.
      #
      # @api private
      class Keeper
        # Seconds between two attempts to reach the store.
        AGAIN = 1

        # @return [Lease, nil] nil before {enroll}
        attr_reader :lease
        # @return [String] HOST:PID:NONCE
        attr_reader :identity

        # @param store [Store]
        # @param info [Hash] for people
        # @param ttl [Numeric] seconds
        # @param every [Numeric] seconds between two signs of life
        # @param book [Book]
        # @param log [Logger]
        def initialize(store, info, ttl:, every:, book:, log:)
          @store = store
          @info = info
          @ttl = ttl
          @every = every
          @book = book
          @log = log
          @identity = "#{info["hostname"]}:#{info["pid"]}:#{SecureRandom.hex(6)}"
        end

        # @return [void]
        # @raise [StoreUnavailable]
        def enroll
          @lease = @store.enroll(@identity, @info, ttl: @ttl)
        end

        # For ever.
        # @param state [#call] makes what {Store#beat} takes
        # @yieldparam order [String]
        def run(state, &)
          pause = 0
          loop do
            Waiter.nap(pause)
            pause = beat(state.call, &) ? @every : [AGAIN, @every].min
          end
        end

        # @param lease [Lease] of a claim
        # @return [Boolean] whether the store has told us that it is over
        def lost?(lease) = lease.token != @lease.token

        # @return [void]
        def resign
          tally = @book.take
          @store.resign(@lease, tally: tally)
        rescue StoreUnavailable => error
          @log.warn({event: "left without a word", error: error.message})
        end

        private

        # @return [Boolean] whether the store could be reached
        def beat(state, &)
          orders = tell(state)
          orders ? orders.each(&) : renew
          true
        rescue StoreUnavailable => error
          @log.debug({event: "no beat", error: error.message})
          false
        end

        def tell(state)
          tally = @book.take
          @store.beat(@lease, state, tally: tally)
        rescue StoreUnavailable
          @book.put_back(tally)
          raise
        end

        # What we hold is others' by now.
        def renew
          lost = @lease
          enroll
          @log.error({event: "lease lost", token: lost.token, new: @lease.token,
                      why: "no sign of life for #{@ttl} s; what was running then is run again by whoever recovers it"})
        end
      end
    end
  end
end
