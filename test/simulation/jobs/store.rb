# frozen_string_literal: true

require_relative "../model"
require_relative "support/sqlite_faults"
require_relative "support/store_process"

module Simulations
  # A calling thread may be switched wherever CRuby may, so also in a transaction.
  options = {preempt: :cruby, max_steps: 100_000, ignore: %i[lock_order]}

  # Without connection.rb: its functions are called by SQLite amid a statement, and a connection
  # cannot be closed then, as {Jobs::StoreProcess#crash} does.
  preempted = %w[sql/** sqlite.rb sqlite/group_commit.rb sqlite/commit_queue.rb sqlite/database.rb
    sqlite/shared_transaction.rb sqlite/driver.rb sqlite/write_ahead_log.rb]
    .map { |file| "**/lib/raffia/jobs/stores/#{file}" }

  # The block runs processes; then another one, after all leases have ended, finds what they left.
  verify = lambda do |program, ledger, another, &block|
    block.call
    program.sim.sleep(Jobs::StoreProcess::LEASE + 1)
    ledger.lose
    last = Jobs::StoreProcess.new(program, another.call, ledger)
    last.drain
    store = last.store
    found = ledger.violations(store.counts) + store.check
    program.check(found.empty?, found.join("; "))
  end

  of "jobs/stores/memory", covers: %w[jobs/stores/memory/job_table jobs/stores/memory/queues
    jobs/stores/memory/lease_table jobs/stores/memory/claims jobs/stores/memory/completion
    jobs/stores/memory/enqueue jobs/stores/memory/recovery], **options do
    model "threads that call it lose no job, and have none twice", runs: 8 do
      store = Raffia::Jobs::Store.open("memory:")
      ledger = Jobs::StoreLedger.new
      verify.call(self, ledger, -> { store }) do
        processes = Array.new(2) { Jobs::StoreProcess.new(self, store, ledger) }
        processes.flat_map { |one| one.run(threads: 2, calls: 4) }.each(&:join)
      end
    end
  end

  of "jobs/stores/sqlite", covers: %w[jobs/stores/sqlite/group_commit
    jobs/stores/sqlite/commit_queue jobs/stores/sqlite/shared_transaction
    jobs/stores/sqlite/database jobs/stores/sqlite/driver jobs/stores/sqlite/write_ahead_log],
    **options, preempt_in: preempted do
    # Runs processes on one database.
    run = lambda do |program, crash: false, faults: 0|
      Dir.mktmpdir do |folder|
        stores = []
        another = lambda do |more = nil|
          stores << Raffia::Jobs::Store.open("sqlite:#{folder}/jobs.db#{more}")
          stores.last
        end
        ledger = Jobs::StoreLedger.new
        # Without flushes, which may be still to fail.
        verify.call(program, ledger, -> { another.call("?synchronous=off") }) do
          processes = Array.new(2) { Jobs::StoreProcess.new(program, another.call, ledger) }
          Jobs::SQLiteFaults.new(program, "#{folder}/jobs.db").begin(stores.dup, count: faults)
          threads = processes.flat_map { |one| one.run(threads: 3, calls: 3) }
          if crash
            program.passes(100)
            processes.first.crash
          end
          (threads - (crash ? processes.first.threads : [])).each(&:join)
          program.sim.sleep(60) # until the faults are over
        end
      ensure
        stores.each { |store| store.close }
      end
    end

    model "threads of two processes lose no job, and have none twice", runs: 8 do
      run.call(self)
    end

    model "a process that is killed in a transaction leaves none of it", runs: 12 do
      run.call(self, crash: true)
    end

    model "calls that fail on a locked, full or broken disk were done as a whole, or not",
      runs: 12 do
      run.call(self, faults: 6, crash: choose(3).zero?)
    end
  end
end
