# frozen_string_literal: true

require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # Acknowledges finished jobs in batches: all that ended since the last call go in one. Retries
      # until the store answers or the lease is lost.
      #
      # @api private
      class AckBatcher
        # Acknowledgements in one call, at most.
        BATCH = 500

        # @param store [Store]
        # @param heartbeat [Heartbeat]
        # @param backoff [Backoff]
        # @param logger [JobLogger]
        def initialize(store, heartbeat, backoff, logger)
          @logger = logger
          @log = logger.log
          @store = store
          @heartbeat = heartbeat
          @backoff = backoff
          @queue = []
          @sending = []
          @idle = @flushed = nil
        end

        # @param claim [Claim] of a finished job
        # @return [void]
        def push(claim)
          @queue << claim
          @idle&.settle
        end

        # @return [Array<Array(Integer, Integer)>] keys of claims that the store has not
        #   acknowledged
        def pending = [*@sending, *@queue].map(&:key)

        # Never returns.
        def run
          loop do
            wait if @queue.empty?
            @logger.flush
            send_batch(next_batch) until @queue.empty?
            @flushed&.settle
          end
        end

        # Waits until all is acknowledged.
        # @param seconds [Numeric] at most
        # @return [Boolean]
        def flush(seconds)
          return true if @queue.empty? && @sending.empty?

          @flushed = Waiter.new
          @flushed.wait(seconds) != Waiter::TIMED_OUT
        end

        private

        def wait
          @idle = Waiter.new
          @idle.wait
          @idle = nil
        end

        # A batch has claims of one lease only.
        def next_batch
          lease = @queue.first.lease
          return take(BATCH) if @queue.last.lease.equal?(lease)

          take(@queue.index { |claim| !claim.lease.equal?(lease) } || BATCH)
        end

        # Each claim is in one of both lists at any time, because {pending} is called by another
        # thread.
        def take(count)
          @sending = @queue.first(count)
          @queue.shift(count)
        end

        def send_batch(claims)
          lease = claims.first.lease
          ours = @backoff.attempt(-> { @heartbeat.lost?(lease) }) { @store.ack(claims) }
          log_lost(claims, ours || []) unless ours&.all?
        ensure
          @sending = []
        end

        def log_lost(claims, ours)
          claims.each_with_index do |claim, index|
            next if ours[index]

            @log.warn({event: "ack too late", queue: claim.queue, token: claim.lease.token,
                       why: "the lease was lost while it ran: it is run again, or has been"})
          end
        end
      end
    end
  end
end
