# frozen_string_literal: true

require "json"
require_relative "../store"
require_relative "../error"
require_relative "sql/administration"
require_relative "sql/batch_counter"
require_relative "sql/batches"
require_relative "sql/claims"
require_relative "sql/completion"
require_relative "sql/cleanup"
require_relative "sql/dialect"
require_relative "sql/enqueue"
require_relative "sql/inspection"
require_relative "sql/key_values"
require_relative "sql/leases"
require_relative "sql/limits"
require_relative "sql/maintenance"
require_relative "sql/queue_names"
require_relative "sql/recovery"
require_relative "sql/schedule"
require_relative "sql/schema"
require_relative "sql/statistics"
require_relative "sql/uniqueness"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in tables: what the stores in SQL databases share. The store of one database is a
      # subclass with a database, a dialect, a notifier, and only those groups that differ: a class
      # of a group's name in the subclass replaces the group here.
      #
      # A database has `read { |db| }`, which yields a connection with one consistent state of all
      # tables, and `write(durable: true) { |db| }`, which is one transaction. The block of a write
      # may run again, so it has no effects but through its connection. A write that is not durable
      # does not wait for the disk. What a power cut takes back of it is repeated anyway: a claim by
      # {Recovery#recover}, a promotion by the next one. It also has `countable` ({Inspection}) and
      # `damage` ({Maintenance}).
      #
      # A connection has `rows(sql, *params)` (Array of Arrays), `run(sql, *params)` (number of rows
      # changed), `numbers(n)` (new ones, each higher than all before), `wake(queues)` (notifies
      # waits after the commit) and `lock(name)` (until the commit). Statements have parameters as
      # `$1`, and words in braces for the {Dialect}.
      class SQL < Store
        private

        # @param database [#read, #write, #countable, #damage]
        def build_groups(database)
          @database = database
          @key_values = group(:KeyValues)
          @statistics = group(:Statistics)
          @schedule = group(:Schedule)
          @inspection = group(:Inspection)
          counter = BatchCounter.new { |db, drafts| @enqueue.insert(db, drafts) }
          @batches = group(:Batches, counter)
          build_moves(counter, Cleanup.new(counter), group(:QueueNames))
        end

        # The groups that move jobs.
        def build_moves(counter, cleanup, names)
          @enqueue = group(:Enqueue, @key_values, counter, cleanup, names)
          @claims = group(:Claims, cleanup, names)
          @completion = group(:Completion, cleanup)
          @leases = group(:Leases, @completion, @statistics)
          @recovery = group(:Recovery, cleanup)
          @administration = group(:Administration, counter, cleanup, names)
          @maintenance = group(:Maintenance, @leases)
        end

        def group(name, *others) = self.class.const_get(name).new(@database, *others)
      end
    end
  end
end
