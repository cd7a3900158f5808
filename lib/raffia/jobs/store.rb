# frozen_string_literal: true

require_relative "error"
require_relative "claim"
require_relative "draft"
require_relative "entry"
require_relative "precondition"
require_relative "lease"
require_relative "recovered_job"
require_relative "tally"

module Raffia
  module Jobs
    # Keeps jobs: the contract of all stores, and a facade over groups of operations.
    #
    # A store has one object for each group of {OPERATIONS}. The group's class in store/ documents
    # its operations; the store's class of the same name does them ({Claims}:
    # stores/redis/claims.rb). test/contract/jobs/store/ tests each group on all stores.
    #
    # A job is in one of {SETS}: `queue` (waiting), `scheduled`, `retry`, `blocked` (its limit is
    # used up), `running` (claimed), `dead`. Each operation moves jobs between sets completely or
    # not at all, so a kill at any point leaves each job in one of them. When an operation returns,
    # its effect is as durable as the store can make it. It raises {StoreUnavailable} when the store
    # cannot be reached.
    #
    # Any fiber or thread may call any operation; a wait suspends the fiber only. After a fork the
    # child opens its own connections (the store in memory refuses to work there). Times are seconds
    # since 1970 by the store's clock. Leases use a clock that nobody can set: the database
    # server's, or the machine's uptime.
    class Store
      # Seconds that a lease holds without a heartbeat.
      LEASE = 15
      # Deaths of its workers after which a job counts as their cause.
      CRASHES = 3
      # The sets that {Inspection#entries} reads.
      SETS = %i[queue scheduled retry blocked running dead].freeze

      # The operations of a store by their group.
      OPERATIONS = {
        enqueue: %i[enqueue],
        claims: %i[claim suspects? expired],
        completion: %i[ack retry bury discard release],
        schedule: %i[promote now],
        rates: %i[rate rates close_rate change_rate],
        notifier: %i[wait interrupt],
        leases: %i[enroll beat renew claim_keys release_keys resign processes order],
        recovery: %i[recover report_death],
        batches: %i[open_batch seal_batch batch batches],
        flows: %i[load_flow record_step await_step park_flow continue_flow stall_flow close_flow
          signal_flow cancel_flow flow flow_steps flows flow_counts],
        workflows: %i[
          open_workflow workflow workflows workflow_result cancel_workflow retry_workflow
          undo_workflow workflow_counts
        ],
        key_values: %i[read write keys],
        statistics: %i[history metrics],
        inspection: %i[countable queues counts entries find tenants],
        administration: %i[delete requeue kill move clear pause resume replace],
        maintenance: %i[prune check]
      }.each_value(&:freeze).freeze

      # `(...)` allocates nothing from Ruby 3.4 on.
      OPERATIONS.each do |group, operations|
        operations.each do |name|
          class_eval("def #{name}(...) = @#{group}.#{name}(...)", __FILE__, __LINE__)
        end
      end

      # @param url [String] such as "sqlite:jobs.db"
      # @param options [Hash] of that store
      # @raise [ConfigError]
      # @raise [MissingDependency] when its gem is not installed
      def self.open(url, **options)
        name = Address.store(url)
        require_relative "stores/#{name.downcase}"
        Stores.const_get(name).new(url, **options)
      end

      # Runs the block with enqueues of this fiber on an application's connection, as a part of its
      # transaction. Begins a transaction when there is none.
      # @param connection [Object] of the application to the same database
      # @raise [ConfigError] when the store cannot do that
      def within(connection)
        raise ConfigError, "jobs in #{url} cannot be a part of a transaction of " \
          "#{connection.class}: use the postgres or mysql store, in the same database"
      end

      # @return [Boolean] whether other processes see the same jobs
      def shared? = true

      # @return [Boolean] whether {Notifier#wait} reads the queues first, and costs no more than a
      #   {Claims#claim}: a worker need not claim until it gets nothing
      # @api private
      def wait_reads_queues? = false

      # @return [Boolean] false when the next operation creates the store
      def exist? = true

      # @return [String] the address without a password
      def url = raise(NotImplementedError)

      # Names the store without a password.
      def inspect = "#<#{self.class} #{url}>"

      # Closes connections. A later operation opens them again.
      def close = raise(NotImplementedError)

      private

      # Makes the groups. Each gets the parts, and the other groups, that it {Group.needs}.
      def build_groups(**parts)
        made = Hash.new { |all, name| all[name] = group_class(name).new(all) }.update(parts)
        OPERATIONS.each_key { |name| instance_variable_set(:"@#{name}", made[name]) }
      end

      def group_class(name) = self.class.const_get(name.to_s.split("_").map(&:capitalize).join)
    end
  end
end

require_relative "store/address"
require_relative "store/group"
Raffia::Jobs::Store::OPERATIONS.each_key { |group| require_relative "store/#{group}" }
