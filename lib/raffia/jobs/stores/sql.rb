# frozen_string_literal: true

require_relative "../store"
require_relative "sql/batch_counter"
require_relative "sql/cleanup"
require_relative "sql/dialect"
require_relative "sql/fair_turns"
require_relative "sql/flow_table"
require_relative "sql/queue_registry"
require_relative "sql/rate_admission"
require_relative "sql/tenant_pauses"
require_relative "sql/rate_keys"
require_relative "sql/schema"
require_relative "sql/workflow_counter"
(Raffia::Jobs::Store::OPERATIONS.keys - [:notifier]).each do |group|
  require_relative "sql/#{group}"
end

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in tables: the groups that stores in SQL databases share. The store of one
      # database is a subclass with a database, a dialect, a notifier, and only those groups that
      # differ: a class of a group's name in the subclass replaces the group here.
      #
      # A database has `read { |db| }`, which yields a connection with one consistent state of all
      # tables, and `write(durable: true) { |db| }`, which is one transaction. The block of a write
      # may run again, so it has no effects but through its connection. A write that is not durable
      # does not wait for the disk. A power cut may take it back, and it is repeated anyway: a claim
      # by {Recovery#recover}, a promotion by the next one. A database also has `countable`
      # ({Inspection}) and `damage` ({Maintenance}).
      #
      # A connection has `rows(sql, *params)` (Array of Arrays), `run(sql, *params)` (number of rows
      # changed), `numbers(n)` (new ones, each higher than all before), `wake(queues)` (notifies
      # waits after the commit), `lock(name)` (until the commit), `lock_in_order(names)` (of names
      # that are locked one by one afterwards) and `own?` (whether it is the store's, and not an
      # application's). Statements have parameters as `$1`, and words in braces for the {Dialect}.
      class SQL < Store
        private

        def build_groups(database:, **parts)
          @database = database
          counter = BatchCounter.new { |db, drafts| @enqueue.insert(db, drafts) }
          flow_table = FlowTable.new do |db, row|
            @schedule.move(db, FairTurns.new(db), db.numbers(1).first, row)
          end
          workflow_counter = WorkflowCounter.new { |db, drafts| @enqueue.insert(db, drafts) }
          cleanup = Cleanup.new(counter, flow_table, workflow_counter)
          names = self.class::QueueRegistry.new(database)
          rate_keys = RateKeys.new
          super(database:, counter:, workflow_counter:, cleanup:, names:, rate_keys:, flow_table:,
                rate_admission: RateAdmission.new(rate_keys),
                tenant_pauses: TenantPauses.new, **parts)
        end
      end
    end
  end
end
