# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../store"
require_relative "memory/job_table"
require_relative "memory/lock"
Raffia::Jobs::Store::OPERATIONS.each_key { |group| require_relative "memory/#{group}" }

module Raffia
  module Jobs
    # The stores, a file and a folder each.
    # @api private
    module Stores
      # Keeps jobs in this process, and loses them with it: for tests, and for work that need not
      # outlive the program. It is the shortest store with the whole contract: read it first.
      #
      # A forked child cannot use it, because nobody would run the jobs that it enqueues.
      class Memory < Store
        attr_reader :url

        def initialize(url = "memory:")
          @url = Address.shown(url)
          @lock = Lock.new
          batches = Batches.new(lock: @lock, callback: ->(draft) { @enqueue.admit(draft) })
          build_groups(lock: @lock, batches: batches, jobs: JobTable.new(batches))
        end

        # Only one operation runs at a time, so the groups need no locks.
        OPERATIONS.each_value do |operations|
          operations.each do |name|
            class_eval("def #{name}(...) = @lock.synchronize { super }", __FILE__, __LINE__)
          end
        end

        def shared? = false

        # Runs the block outside of any transaction: for tests of programs whose jobs belong to one.
        def within(_connection) = yield

        def close = @lock.ours? ? interrupt : nil

        # Claims this very job, whatever its time and its limit: for tests. Nil when it has moved
        # on, or has expired.
        def claim_entry(lease, entry) = @lock.synchronize { @claims.claim_entry(lease, entry) }
      end
    end
  end
end
