# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Reads in several steps, so jobs may move meanwhile.
        class Inspection < Store::Inspection
          # Jobs that the server itself searches at a time: it does nothing else meanwhile.
          SLICE = 2000
          # Queues may be long, so they come last.
          SEARCH_ORDER = (Store::SETS - [:queue] + [:queue]).freeze

          needs :redis

          def queues(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            @redis.with(safe: true) do |connection|
              paused = connection.call("SMEMBERS", "paused")
              (Collections.queue_names(connection) | paused).sort.map do |name|
                queue(connection, name, paused.include?(name))
              end
            end
          end

          def counts(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            @redis.with(safe: true) do |connection|
              sizes = Store::SETS.to_h do |set|
                [set, size(connection, Collections.all(connection, set))]
              end
              processed, failed = connection.call("MGET", "stat:processed", "stat:failed")
              sizes.merge(processed: processed.to_i, failed: failed.to_i)
            end
          end

          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            @redis.with(safe: true) do |connection|
              collections = Collections.all(connection, set, queue)
              next read_across(connection, collections, offset, limit) unless match

              Collections.each_entry(connection, collections).lazy
                .select { |entry| entry.payload.include?(match) }.drop(offset).first(limit)
            end
          end

          def find(jid, most: nil)
            @redis.with(safe: true) do |connection|
              SEARCH_ORDER.each do |set|
                collections = Collections.all(connection, set)
                found = find_in(connection, collections, jid, most || Float::INFINITY)
                return found if found
              end
              nil
            end
          end

          # Fair jobs are in sorted sets.
          def tenants(queue, limit: 20, most: 10_000)
            paused = nil
            entries = @redis.with(safe: true) do |connection|
              paused = paused_tenants(connection, queue)
              Collections.of_queue(queue).grep_v(Collections::QueueList)
                .flat_map { |collection| collection.range(connection, 0, most) }
            end
            keys = entries.map do |entry|
              own = entry.item[Payload::OWN]
              own["fair"]["key"] if own.is_a?(Hash) && own["fair"].is_a?(Hash)
            end
            count_tenants(keys, limit, paused)
          end

          private

          def paused_tenants(connection, queue)
            connection.call("SMEMBERS", "raffia:paused").filter_map do |member|
              name, tenant = member.split(" ", 2)
              tenant if name == queue
            end
          end

          def size(connection, collections)
            collections.sum { |collection| collection.size(connection) }
          end

          # A share for each collection, so that a long one does not hide the others.
          def find_in(connection, collections, jid, most)
            sizes = collections.to_h { |one| [one, one.size(connection)] }
            sizes.reject! { |_, size| size.zero? }
            share = [most / [sizes.size, 1].max, SLICE].max
            sizes.each do |collection, size|
              (0...[size, share].min).step(SLICE) do |from|
                found = find_in_slice(connection, collection, jid, from) and return found
              end
            end
            nil
          end

          def find_in_slice(connection, collection, jid, from)
            return unless collection.mentions?(connection, @redis.scripts, jid, from, SLICE)

            collection.range(connection, from, SLICE).find { |entry| entry.jid == jid }
          end

          def queue(connection, name, paused)
            collections = Collections.of_queue(name)
            oldest = collections.filter_map { |one| one.range(connection, 0, 1).first&.item }
            times = oldest.map { |item| item["enqueued_at"] || item["created_at"] }
            {"name" => name, "size" => size(connection, collections), "paused" => paused,
             "latency" => seconds_since(times)}
          end

          # Reads across collections.
          def read_across(connection, collections, offset, limit)
            found = []
            collections.each do |collection|
              break if (missing = limit - found.size) <= 0

              size = collection.size(connection)
              found.concat(collection.range(connection, offset, missing)) if offset < size
              offset = [offset - size, 0].max
            end
            found
          end
        end
      end
    end
  end
end
