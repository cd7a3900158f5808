# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module Integrations
    module Rails
      # Decides when jobs that are enqueued in an Active Record transaction are stored. After it,
      # workers find the committed rows, and a rollback leaves no job. In it requires a store in the
      # same database.
      #
      # @api private
      class EnqueueTiming
        # Values of `config.raffia.enqueue`.
        ALL = %i[after_commit in_transaction now].freeze

        # nil selects the first.
        def initialize(name)
          @name = name || ALL.first
          unless ALL.include?(@name)
            raise ConfigError, "config.raffia.enqueue = #{name.inspect} means nothing here: use " \
              "one of #{ALL.join(", ")}"
          end
        end

        def apply(base)
          return unless base.queue_adapter_name == "raffia"

          base.queue_adapter.transaction = method(:connection) if @name == :in_transaction
          # Active Job 7.2 has no flag; it asks the adapter.
          if base.respond_to?(:enqueue_after_transaction_commit)
            flag = base.enqueue_after_transaction_commit
          end
          base.enqueue_after_transaction_commit = true if @name == :after_commit && flag == false
        end

        private

        # Does not open a connection, because a new one has no transaction. Active Record without a
        # database has no pool.
        def connection
          return unless defined?(::ActiveRecord::Base) && ::ActiveRecord::Base.connected?

          connection = ::ActiveRecord::Base.connection_pool.active_connection?
          connection if connection.respond_to?(:transaction_open?) && connection.transaction_open?
        end
      end
    end
  end
end
