# frozen_string_literal: true

require_relative "queue_registry"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Remembers names that are in the table. The subclass of a server has `insert(db, names)`.
        # @api private
        class CachedQueueRegistry < QueueRegistry
          def initialize(database)
            super
            @known = [].freeze
            database.on_missing_tables { @known = [].freeze }
          end

          # In a transaction of their own: others that use a name would wait for the end of this
          # one.
          def publish(names)
            names -= @known
            return if names.empty?

            @database.ensure_tables
            @database.session { |db| insert(db, names) }
            @known = (@known | names).freeze
          end

          def add(db, names) = super(db, names - @known)

          def forget(db, name)
            super
            @known = [].freeze
          end
        end
      end
    end
  end
end
