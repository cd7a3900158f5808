# frozen_string_literal: true

require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Says to the store what is done: all that has ended since the last time in one call. What it
      # cannot say it says again, until the store answers or the lease is lost.
      #
      # @api private
      class Acks
        # Most of one call.
        SLICE = 500

        # @param store [Store]
        # @param keeper [Keeper]
        # @param patience [Patience]
        # @param journal [Journal]
        def initialize(store, keeper, patience, journal)
          @journal = journal
          @log = journal.log
          @store = store
          @keeper = keeper
          @patience = patience
          @done = []
          @idle = @flushed = nil
          @saying = false
          @said = nil
        end

        # @param claim [Claim]
        # @return [void]
        def push(claim)
          @done << claim
          @idle&.settle
        end

        # @return [Array<Array(Integer, Integer)>] keys of claims of which the store has not heard
        #   yet
        def held = [*@said, *@done].map(&:key)

        # For ever.
        def run
          loop do
            await if @done.empty?
            @journal.flush
            say(slice) until @done.empty?
            @flushed&.settle
          end
        end

        # Waits until all is said.
        # @param seconds [Numeric] at most
        # @return [Boolean]
        def flush(seconds)
          return true if @done.empty? && !@saying

          @flushed = Waiter.new
          @flushed.wait(seconds) != Waiter::TIMED_OUT
        end

        private

        def await
          @idle = Waiter.new
          @idle.wait
          @idle = nil
        end

        # Claims of one lease: what was begun under another stands before it.
        def slice
          lease = @done.first.lease
          return take(SLICE) if @done.last.lease.equal?(lease)

          take(@done.index { |claim| !claim.lease.equal?(lease) } || SLICE)
        end

        # At no time is one of them in neither list, for {held} is called by another thread.
        def take(count)
          @said = @done.first(count)
          @done.shift(count)
        end

        def say(claims)
          @saying = true
          lease = claims.first.lease
          ours = @patience.keep(-> { @keeper.lost?(lease) }) { @store.ack(claims) }
          late(claims, ours || []) unless ours&.all?
        ensure
          @saying = false
          @said = nil
        end

        def late(claims, ours)
          claims.each_with_index do |claim, index|
            next if ours[index]

            @log.warn({event: "done too late", queue: claim.queue, token: claim.lease.token,
                       why: "the lease was lost while it ran: it is run again, or has been"})
          end
        end
      end
    end
  end
end
