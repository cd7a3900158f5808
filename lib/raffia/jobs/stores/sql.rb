# frozen_string_literal: true

require "json"
require_relative "../store"
require_relative "../errors"
require_relative "sql/schema"
require_relative "sql/ends"
require_relative "sql/batches"
require_relative "sql/locks"
require_relative "sql/enqueue"
require_relative "sql/leases"
require_relative "sql/claims"
require_relative "sql/endings"
require_relative "sql/upkeep"
require_relative "sql/values"
require_relative "sql/looking"
require_relative "sql/operating"
require_relative "sql/statistics"
require_relative "sql/check"

module Raffia
  module Jobs
    # The stores there are, one file each.
    module Stores
      # What the stores in SQL databases have in common: their tables, and what is done to them. A
      # store of one database is a subclass that has two ways to get a connection, {#reading} and
      # {#writing}, and says in {Schema} what its dialect calls things.
      #
      # A connection has `rows(sql, *params)` (Array of Arrays), `run(sql, *params)` (how many rows
      # it changed), `numbers(n)` (fresh ones, each higher than all before), `wake(queues)` (told to
      # who waits, after the commit) and `lock(name)` (until the commit; nothing where there is but
      # one writer at a time). Statements have their parameters as `$1`, and words in braces that
      # the dialect replaces.
      class SQL < Store
        include Ends
        include Batches
        include Locks
        include Enqueue
        include Leases
        include Claims
        include Endings
        include Upkeep
        include Values
        include Looking
        include Operating
        include Statistics
        include Check

        private

        # @yieldparam db [Object] that sees one state of all tables
        # @return [Object] what the block returns
        def reading = raise(NotImplementedError)

        # One transaction. It may be run again, so the block has no effects but through its
        # connection.
        # @param durable [Boolean] whether the caller is to wait until it is on disk. Where it is
        #   not, what a power cut takes back is made good by what happens then anyway: a claim by
        #   {Store#recover}, a promotion by the next one
        # @yieldparam db [Object]
        # @return [Object] what the block returns
        def writing(durable: true) = raise(NotImplementedError)
      end
    end
  end
end
