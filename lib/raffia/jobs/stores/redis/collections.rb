# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Keys with jobs, read by ranges. An entry's ref is [key, member to remove].
        # @api private
        module Collections
          # A key with jobs of one set. Without a queue, the payload names it.
          Collection = Data.define(:set, :key, :queue) do
            def size(connection) = connection.call("LLEN", key)

            # Counts jobs of other collections with this key, too.
            def whole(connection) = size(connection)

            # Whether the text may be in this range, as far as the server can search it.
            def mentions?(connection, scripts, text, from, count)
              command, *bounds = searchable(from, count)
              command.nil? || scripts.call(connection, :find, [command, key, text, *bounds]) == 1
            end

            # The command that reads a range, and its arguments after the key.
            def searchable(_from, _count) = nil

            def entry(payload, member, at: nil, name: queue)
              Entry.new(set: set, queue: name || Payload.fields(payload)["queue"],
                payload: payload, at: at, ref: [key, member].freeze)
            end

            private

            def read(connection, from, count, *options)
              command, *bounds = searchable(from, count)
              connection.call(command, key, *bounds, *options)
            end
          end

          # Sidekiq's queue: the next one is at the right end.
          class QueueList < Collection
            def searchable(from, count) = ["LRANGE", -(from + count), -(from + 1)]

            def range(connection, from, count)
              read(connection, from, count).reverse.map { |payload| entry(payload, payload) }
            end
          end

          # `dead` comes with the newest first.
          class SortedSet < Collection
            def size(connection) = connection.call("ZCARD", key)

            def searchable(from, count)
              ["ZRANGE", from, from + count - 1, *("REV" if set == :dead)]
            end

            def range(connection, from, count)
              read(connection, from, count, "WITHSCORES")
                .map { |payload, score| entry(payload, payload, at: score.to_f) }
            end
          end

          # Jobs of a queue with a priority above 0.
          class HighPrioritySet < Collection
            # A member begins with as many characters for its position; with a turn, too.
            MARK = 16
            TURN = 32

            def bounds = ["-inf", "(0"]

            def size(connection) = connection.call("ZCOUNT", key, *bounds)

            def whole(connection) = connection.call("ZCARD", key)

            def searchable(from, count) = ["ZRANGE", *bounds, "BYSCORE", "LIMIT", from, count]

            def range(connection, from, count)
              read(connection, from, count).map do |member|
                entry(member[member.start_with?("2") ? TURN.. : MARK..], member)
              end
            end
          end

          # Those of a fair queue, and with a priority below 0.
          class LowPrioritySet < HighPrioritySet
            def bounds = ["0", "+inf"]
          end

          # Jobs that a limit blocks: "QUEUE PAYLOAD".
          class BlockedList < Collection
            def range(connection, from, count)
              connection.call("LRANGE", key, from, from + count - 1).map do |member|
                name, payload = member.split(" ", 2)
                entry(payload, member, name: name)
              end
            end
          end

          # Claims of a lease, oldest first: no more than a worker runs at a time.
          class ClaimSet < Collection
            def size(connection) = connection.call("HLEN", key)

            def range(connection, from, count)
              claims = connection.call("HGETALL", key).to_a
              claims = claims.sort_by { |field, _| ClaimGroup.parse(field) }
              (claims[from, count] || []).map do |field, payload|
                name, _, queue = ClaimGroup.parse(field)
                entry(payload, field, at: name / 1e6, name: queue)
              end
            end
          end

          SORTED = {scheduled: "schedule", retry: "retry", dead: "dead"}.freeze

          module_function

          def all(connection, set, queue = nil)
            case set
            when :queue
              (queue ? [queue] : queue_names(connection)).flat_map { |name| of_queue(name) }
            when :blocked
              keys = connection.call("SMEMBERS", "raffia:blocked").sort
              keys.map { |key| BlockedList.new(set, "raffia:blocked:#{key}", nil) }
            when :running then tokens(connection).map { |token| of_lease(token) }
            else [SortedSet.new(set, SORTED.fetch(set), nil)]
            end
          end

          def queue_names(connection) = connection.call("SMEMBERS", "queues").sort

          def of_queue(name)
            [HighPrioritySet.new(:queue, "raffia:queue:#{name}", name),
              QueueList.new(:queue, "queue:#{name}", name),
              LowPrioritySet.new(:queue, "raffia:queue:#{name}", name)]
          end

          def of_lease(token) = ClaimSet.new(:running, "raffia:claims:#{token}", nil)

          # Tokens of leases that may have claims, oldest first.
          def tokens(connection)
            %w[raffia:leases raffia:lost].flat_map { |key| connection.call("HKEYS", key) }
              .map(&:to_i).sort
          end

          def each_entry(connection, collections, page: 500)
            Enumerator.new do |out|
              collections.each do |collection|
                from = 0
                until (entries = collection.range(connection, from, page)).empty?
                  entries.each { |entry| out << entry }
                  from += entries.size
                end
              end
            end
          end
        end
      end
    end
  end
end
