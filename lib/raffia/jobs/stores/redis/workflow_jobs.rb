# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Removes waiting jobs of a cancelled workflow. The server searches for them, slice by
        # slice, until each of the jobs is known to have gone or to run. One that is missed is
        # dropped when it is claimed.
        # @api private
        class WorkflowJobs
          # Jobs that one script searches: Redis does nothing else meanwhile.
          SLICE = 1000
          # Limits put blocked jobs back to queues, so they come first.
          SETS = %i[blocked scheduled retry queue].freeze

          def initialize(redis)
            @redis = redis
          end

          # `jids` are those of all jobs that have begun or wait.
          def drop(id, jids)
            waiting = jids.size - running(jids)
            text = "\"workflow\":{\"id\":#{JSON.generate(id)},"
            keys.each do |key, size|
              from = 0
              while from < size && waiting.positive?
                gone, left = @redis.script(:drop_workflow, key, from, SLICE, text)
                waiting -= gone
                from += left
                break if (gone + left).zero?
              end
            end
          end

          private

          def running(jids)
            @redis.with(safe: true) do |connection|
              entries = Collections.each_entry(connection, Collections.all(connection, :running))
              (jids & entries.map(&:jid)).size
            end
          end

          def keys
            @redis.with(safe: true) do |connection|
              collections = SETS.flat_map { |set| Collections.all(connection, set) }.uniq(&:key)
              collections.to_h { |one| [one.key, one.whole(connection)] }
            end
          end
        end
      end
    end
  end
end
