# frozen_string_literal: true

module Simulations
  module Jobs
    # The fate of jobs as callers of a store know it. A call that failed was done as a whole, or not.
    class StoreLedger
      def initialize
        @accepted = []
        # Calls that enqueue several jobs, until they return: their jobs => whether any can be left.
        # Threads take turns within blocks, so entries are added and removed by single calls.
        @doubts = {}
        @seen = {}
        @holders = {}
        @ended = Hash.new(0)
        @unsure = {}
        @faults = []
      end

      # Before a call, whose caller may die in it.
      def attempt(jids) = @doubts[jids] = true

      def accept(jids)
        @accepted.concat(jids)
        @doubts.delete(jids)
      end

      def doubt(jids, error)
        @doubts[jids] = !error.message.include?("nothing of this call was kept")
      end

      # The store gave the job to the holder of a lease.
      def claim(jid, token)
        @faults << "#{jid} is claimed twice" if @holders[jid]
        @faults << "#{jid} is claimed after its end" if @ended[jid].positive?
        @seen[jid] = true
        @holders[jid] = token
      end

      # Before a call that ends the claim: others may have the job before the call returns.
      def let_go(jid) = @holders.delete(jid)

      # The call ended the job, or answered that the claim was not the caller's.
      def finish(jid, own)
        own ? @ended[jid] += 1 : @faults << "#{jid} was not the holder's"
      end

      # The call that was to end the job failed.
      def unsure(jid) = @unsure[jid] = true

      # The process of a lease has died; nil: all leases have ended.
      def lose(token = nil)
        @holders.delete_if { |_, holder| token.nil? || holder == token }
      end

      # @param left [Hash{Symbol => Integer}] what is left in the store
      # @return [Array<String>]
      def violations(left)
        [*@faults.uniq,
          *named("lost", @accepted.select { |jid| @ended[jid].zero? && !@unsure[jid] }),
          *named("ended twice", @ended.select { |_, count| count > 1 }.keys),
          *named("enqueued in part", @doubts.reject { |jids, kept| whole?(jids, kept) }.keys.flatten),
          *("left: #{left}" if left.values.sum.positive?)]
      end

      private

      def named(what, jids) = jids.empty? ? [] : ["#{what}: #{jids.join(", ")}"]

      def whole?(jids, kept)
        there = jids.count { |jid| @seen[jid] }
        there.zero? || (kept && there == jids.size)
      end
    end
  end
end
