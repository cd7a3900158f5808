# frozen_string_literal: true

require "securerandom"
require "socket"
require_relative "../../base/clock"
require_relative "../../process/memory"

module Raffia
  module Jobs
    class Worker
      # Keeps the lease: shows a sign of life now and then, with what is being done, and brings the
      # orders that come back. In a thread of its own: a job that computes holds up the loop, and is
      # no reason to take it away from here.
      #
      # @api private
      class Keeper
        # Seconds between two attempts to reach the store.
        AGAIN = 1

        # @return [Lease, nil] nil before {enroll}
        attr_reader :lease
        # @return [String, nil] why the last sign of life could not be written; nil: it could be
        attr_reader :trouble
        # @return [String] HOST:PID:NONCE
        attr_reader :identity

        # @param store [Store]
        # @param info [Hash] for people
        # @param ttl [Numeric] seconds
        # @param every [Numeric] seconds between two signs of life
        # @param book [Book]
        # @param log [Logger]
        # @param identity [String]
        # @param board [LeaseBoard, nil] is told of the lease
        def initialize(store, info, ttl:, every:, book:, log:, identity: Keeper.identity,
          board: nil)
          @store = store
          @info = info
          @ttl = ttl
          @every = every
          @book = book
          @log = log
          @bell = ::Thread::Queue.new
          @end_at = nil
          @identity = identity
          @board = board
        end

        # @return [String] of this process, another one each time
        def self.identity = "#{Socket.gethostname}:#{::Process.pid}:#{SecureRandom.hex(6)}"

        # @return [void]
        # @raise [StoreUnavailable]
        def enroll
          @lease = @store.enroll(@identity, @info, ttl: @ttl)
          @board&.lease = @lease
          @renewed = Clock.now
        end

        # @return [Boolean] whether the lease may have run out: this process has stood still, or the
        #   store was away
        def late? = Clock.now - @renewed > @ttl

        # Until {close}, or until {give_up} is due.
        # @param state [#call] makes what {Store#beat} takes
        # @yieldparam order [String]
        # @return [void]
        def run(state, &)
          at = 0
          until (word = @bell.pop(timeout: pause(at))) == :end
            return abandon if due?
            next unless word == :look || Clock.now >= at

            at = Clock.now + (beat(state.call, &) ? @every : [AGAIN, @every].min)
          end
        end

        # From any thread, and from a trap: by then the worker is to have ended. When it has not,
        # what it holds is given back, for a loop that is held up cannot do so.
        # @param seconds [Numeric] from now
        # @return [void]
        def give_up(seconds)
          @end_at = Clock.now + seconds
          @bell.push(:look)
        end

        # Calls the block after each sign of life.
        # @yieldparam lease [Lease]
        # @return [void]
        def on_beat(&block) = @on_beat = block

        # Another sign of life, now.
        # @return [void]
        def hurry = @bell.push(:look)

        # @return [void]
        def close = @bell.push(:end)

        # @param lease [Lease] of a claim
        # @return [Boolean] whether the store has told us that it is over
        def lost?(lease) = lease.token != @lease.token

        # @return [void]
        def resign
          tally = @book.take
          @store.resign(@lease, tally: tally)
          @board&.forget
        rescue StoreUnavailable => error
          @log.warn({event: "left without a word", error: error.message})
        end

        private

        # @return [Float] seconds
        def pause(at) = ([at, *@end_at].min - Clock.now).clamp(0..)

        def due? = @end_at && Clock.now >= @end_at

        def abandon
          resign
          @log.fatal({event: "gives back",
            why: "it was told to end, and a job that computes does not let it: on: :processes is " \
              "for such jobs"})
        end

        # @return [Boolean] whether the store could be reached
        def beat(state, &)
          orders = tell(state)
          orders ? held(orders, &) : renew
          @trouble = nil
          true
        rescue StoreUnavailable => error
          @trouble = error.message
          @log.debug({event: "no beat", error: error.message})
          false
        end

        def held(orders, &)
          @board&.renewed
          @renewed = Clock.now
          orders.each(&) # first: the store does not give them again
          @on_beat&.call(@lease)
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
                      why: "no sign of life for #{@ttl} s; what was running then is run again by " \
                        "whoever recovers it"})
        end
      end
    end
  end
end
