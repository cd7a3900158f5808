# frozen_string_literal: true

require_relative "../sql/cached_queue_registry"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        class QueueRegistry < SQL::CachedQueueRegistry
          ADD_ALL = "INSERT INTO {queues} (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"

          private

          def insert(db, names) = db.run(ADD_ALL, names)
        end
      end
    end
  end
end
