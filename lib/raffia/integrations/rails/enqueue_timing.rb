# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Integrations
    module Rails
      # When a job that is enqueued within a transaction of Active Record's is kept: after it, so
      # that no worker looks for rows that are not there yet, and nothing is left of one that is
      # undone; or in it, where the jobs are in the same database.
      #
      # @api private
      class EnqueueTiming
        # What `config.raffia.enqueue` can be.
        ALL = %i[after_commit in_transaction now].freeze

        # @param name [Symbol, nil] nil: the first
        # @raise [ConfigError]
        def initialize(name)
          @name = name || ALL.first
          unless ALL.include?(@name)
            raise ConfigError, "config.raffia.enqueue = #{name.inspect} means nothing here: use " \
              "one of #{ALL.join(", ")}"
          end
        end

        # @param base [Class] ActiveJob::Base
        # @return [void]
        def apply(base)
          return unless base.queue_adapter_name == "raffia"

          base.queue_adapter.transaction = method(:connection) if @name == :in_transaction
          # In Active Job 7.2 it is no flag: that asks the adapter.
          if base.respond_to?(:enqueue_after_transaction_commit)
            flag = base.enqueue_after_transaction_commit
          end
          base.enqueue_after_transaction_commit = true if @name == :after_commit && flag == false
        end

        private

        # Never opens one: who has none has no transaction either. Active Record may be loaded
        # without any database, and then it has no pool.
        def connection
          return unless defined?(::ActiveRecord::Base) && ::ActiveRecord::Base.connected?

          connection = ::ActiveRecord::Base.connection_pool.active_connection?
          connection if connection.respond_to?(:transaction_open?) && connection.transaction_open?
        end
      end
    end
  end
end
