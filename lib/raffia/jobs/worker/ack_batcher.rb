# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Acknowledges all jobs that ended since the last call in one call. Retries until the store
      # answers or the lease is lost.
      # @api private
      class AckBatcher
        BATCH = 500

        def initialize(store, heartbeat, backoff, logger)
          @store = store
          @heartbeat = heartbeat
          @backoff = backoff
          @logger = logger
          @queue = []
          @sending = []
          @idle = @flushed = nil
        end

        def push(claim)
          @queue << claim
          @idle&.settle
        end

        # Keys of the claims that are still to be acknowledged.
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

        # Returns whether all was acknowledged within so many seconds.
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

        # A batch has claims of one lease only. Each claim is in one of both lists at any time,
        # because {pending} is called by another thread.
        def next_batch
          lease = @queue.first.lease
          unless @queue.last.lease.equal?(lease)
            count = @queue.index { |claim| !claim.lease.equal?(lease) }
          end
          @sending = @queue.first(count || BATCH)
          @queue.shift(@sending.size)
          @sending
        end

        def send_batch(claims)
          lease = claims.first.lease
          ours = @backoff.attempt(-> { @heartbeat.lost?(lease) }) do
            @logger.counts.time_call("ack") { @store.ack(claims) }
          end
          log_lost(claims, ours || []) unless ours&.all?
        ensure
          @sending = []
        end

        def log_lost(claims, ours)
          claims.zip(ours) do |claim, own|
            next if own

            @logger.log.warn({event: "ack too late", queue: claim.queue, token: claim.lease.token,
              why: "the lease was lost while it ran: it is run again, or has been"})
          end
        end
      end
    end
  end
end
