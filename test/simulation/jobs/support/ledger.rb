# frozen_string_literal: true

module Simulations
  module Jobs
    # The fate of a run's jobs, in the form of the ledger of kills (test/ledger): each job
    # that a store has accepted is acknowledged once, and runs once at a time.
    class Ledger
      # One run of a job in progress. `excused`: the store gave the job to others rightly.
      Run = Struct.new(:jid, :lease, :excused)

      class << self
        # The ledger of the simulated run.
        attr_accessor :current # rubocop:disable ThreadSafety/ClassAndModuleAttributes
      end

      # Acknowledgements, ends and beginnings by job; ids of buried and discarded ones.
      attr_reader :kept, :began, :ended, :acked, :buried, :faults

      def initialize
        @kept = []
        @began = Hash.new(0)
        @ended = Hash.new(0)
        @acked = Hash.new(0)
        @buried = Hash.new(0)
        @running = []
        @faults = []
        Ledger.current = self
      end

      # The store has accepted it.
      def keep(*jids)
        @kept.concat(jids.flatten.compact)
        jids.first
      end

      # Around the work of a job.
      def run(job)
        jid = job.jid
        other = @running.find { |one| one.jid == jid && !one.excused }
        fault("#{jid} runs twice at a time") if other
        @running << (run = Run.new(jid, job.run.claim.lease.token, false))
        @began[jid] += 1
        value = yield
        @ended[jid] += 1
        value
      ensure
        @running.delete(run)
      end

      def running = @running.size

      # Which attempt at the job is under way, from 1.
      def attempt(job) = @began[job.jid]

      # The jobs of a lease may be given to others: it has run out, or its worker has died.
      def excuse(token)
        @running.each { |run| run.excused = true if run.lease == token }
      end

      # Its worker has died: its runs will never end.
      def lose(token) = @running.delete_if { |run| run.lease == token }

      def acknowledge(jid) = @acked[jid] += 1

      def bury(jid) = @buried[jid] += 1

      def fault(text) = @faults << text

      # The rules that do not hold. +dead+: how many jobs must have failed for good.
      def violations(dead: 0)
        lost = @kept.reject { |jid| @acked[jid] + @buried[jid] >= 1 }
        twice = (@acked.keys | @buried.keys).select { |jid| @acked[jid] + @buried[jid] > 1 }
        found = @faults.dup
        found << "lost: #{lost.join(", ")}" if lost.any?
        found << "ended twice: #{twice.join(", ")}" if twice.any?
        found << "#{@buried.size} jobs are dead, not #{dead}" if dead && @buried.size != dead
        found
      end
    end
  end
end
