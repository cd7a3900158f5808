# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../store"
require_relative "memory/job_table"
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
        # Serializes all operations of a store, and wakes those that wait for a change.
        class Lock
          def initialize
            @mutex = Mutex.new
            @changed = ConditionVariable.new
            @pid = ::Process.pid
          end

          # Raises {StoreUnavailable} in a forked child.
          def synchronize(&)
            raise StoreUnavailable, forked unless ours?

            @mutex.synchronize(&)
          end

          # Inside of {#synchronize}: lets others in until {#broadcast}, or for so many seconds.
          def wait(timeout) = @changed.wait(@mutex, timeout)

          def broadcast = @changed.broadcast

          # Whether this is the process that made the store.
          def ours? = @pid == ::Process.pid

          private

          def forked
            "the jobs of this store are in the memory of process #{@pid}, and this is process " \
            "#{::Process.pid}: give it a store of its own (Raffia::Jobs.store = \"memory:\"), or " \
            "use one that processes share, such as sqlite:jobs.db"
          end
        end
        private_constant :Lock

        attr_reader :url

        def initialize(url = "memory:")
          @url = Address.shown(url)
          @lock = Lock.new
          batches = Batches.new(lock: @lock, callback: ->(draft) { @enqueue.admit(draft) })
          workflows = Workflows.new(lock: @lock, admit: ->(draft) { @enqueue.admit(draft) },
            drop: ->(id) { @administration.drop_workflow(id) })
          build_groups(lock: @lock, batches: batches, workflows: workflows,
            jobs: JobTable.new(batches, workflows))
        end

        # Only one operation runs at a time, so the groups need no locks.
        OPERATIONS.each do |group, operations|
          operations.each do |name|
            class_eval("def #{name}(...) = @lock.synchronize { @#{group}.#{name}(...) }",
              __FILE__, __LINE__ - 1)
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
