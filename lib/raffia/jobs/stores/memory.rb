# frozen_string_literal: true

require_relative "../store"
require_relative "memory/administration"
require_relative "memory/batches"
require_relative "memory/claims"
require_relative "memory/completion"
require_relative "memory/enqueue"
require_relative "memory/inspection"
require_relative "memory/job_table"
require_relative "memory/key_values"
require_relative "memory/leases"
require_relative "memory/lock"
require_relative "memory/maintenance"
require_relative "memory/notifier"
require_relative "memory/recovery"
require_relative "memory/schedule"
require_relative "memory/statistics"

module Raffia
  module Jobs
    # The stores, a file and a folder each.
    #
    # @api private
    module Stores
      # Keeps jobs in this process, and loses them with it: for tests, and for work that need not
      # outlive the program. It is the shortest store with the whole contract: read it first.
      #
      # A forked child cannot use it, because nobody would run the jobs that it enqueues.
      class Memory < Store
        attr_reader :url

        # @param url [String]
        def initialize(url = "memory:")
          @url = Address.shown(url)
          @lock = Lock.new
          @batches = Batches.new(@lock) { |draft| @enqueue.admit(draft) }
          @jobs = JobTable.new(@batches)
          @key_values = KeyValues.new(@lock)
          @statistics = Statistics.new(@lock)
          build_groups
        end

        def shared? = false

        # Runs the block outside of any transaction: for tests of programs whose jobs belong to one.
        def within(_connection) = yield

        def close = @lock.ours? ? interrupt : nil

        # Claims this very job, whatever its time and its limit. For tests.
        # @api private
        def claim_entry(lease, entry) = @claims.claim_entry(lease, entry)

        private

        def build_groups
          @enqueue = Enqueue.new(@lock, @jobs, @key_values, @batches)
          @claims = Claims.new(@lock, @jobs)
          @completion = Completion.new(@lock, @jobs)
          @schedule = Schedule.new(@lock, @jobs)
          @notifier = Notifier.new(@lock, @jobs)
          @leases = Leases.new(@lock, @jobs, @completion, @statistics)
          @recovery = Recovery.new(@lock, @jobs)
          @inspection = Inspection.new(@lock, @jobs, @statistics)
          @administration = Administration.new(@lock, @jobs, @batches)
          @maintenance = Maintenance.new(@lock, @jobs, @batches, @key_values)
        end
      end
    end
  end
end
