# frozen_string_literal: true

require_relative "../sql/cached_queue_registry"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        class QueueRegistry < SQL::CachedQueueRegistry
          private

          def insert(db, names) = names.sort.each { |name| db.run(ADD, name) }
        end
      end
    end
  end
end
