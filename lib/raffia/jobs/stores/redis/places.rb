# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Keys with jobs in them, read by ranges. Each kind says how many there are, and what stands
        # from one place on. An entry's ref is [key, what is removed from it].
        #
        # @api private
        module Places
          # @!attribute [r] set
          #   @return [Symbol] of {Store::SETS}
          # @!attribute [r] queue
          #   @return [String, nil] nil: the payload says it
          Place = Data.define(:set, :key, :queue) do
            def size(connection) = connection.call("LLEN", key)

            # @return [Integer] also of what is another place with the same key
            def whole(connection) = size(connection)

            # @return [Boolean] whether the text may be in one of these
            def mentions?(_connection, _scripts, _text, _from, _count) = true

            # @return [Entry]
            def entry(payload, member, at: nil, name: queue)
              Entry.new(set: set, queue: name ||
                named(payload), payload: payload, at: at, ref: [key, member].freeze)
            end

            private

            def named(payload)
              Payload.load(payload)["queue"]
            rescue BadPayload
              nil
            end
          end

          # Sidekiq's queue: the next one is at the right end.
          class List < Place
            def mentions?(connection, scripts, text, from, count)
              scripts.call(connection, :find,
                ["LRANGE", key, text, -(from + count), -(from + 1)]) == 1
            end

            def range(connection, from, count)
              connection.call("LRANGE", key, -(from + count), -(from + 1)).reverse
                .map { |payload| entry(payload, payload) }
            end
          end

          # `schedule`, `retry`, and `dead` with the newest first.
          class Sorted < Place
            def size(connection) = connection.call("ZCARD", key)

            def mentions?(connection, scripts, text, from, count)
              scripts.call(connection, :find,
                ["ZRANGE", key, text, from, from + count - 1, *("REV" if set == :dead)]) == 1
            end

            def range(connection, from, count)
              found = connection.call("ZRANGE", key, from, from + count - 1,
                *("REV" if set == :dead), "WITHSCORES")
              found.map { |payload, score| entry(payload, payload, at: score.to_f) }
            end
          end

          # Jobs of a queue with a priority above 0.
          class Above < Place
            # Characters before the payload, which say where it stands among those of its priority.
            MARK = 16

            def bounds = ["-inf", "(0"]

            def size(connection) = connection.call("ZCOUNT", key, *bounds)

            def whole(connection) = connection.call("ZCARD", key)

            def mentions?(connection, scripts, text, from, count)
              scripts.call(connection, :find,
                ["ZRANGE", key, text, *bounds, "BYSCORE", "LIMIT", from, count]) == 1
            end

            def range(connection, from, count)
              connection.call("ZRANGE", key, *bounds, "BYSCORE", "LIMIT", from, count)
                .map { |member| entry(member[MARK..], member) }
            end
          end

          # And below.
          class Below < Above
            def bounds = ["(0", "+inf"]
          end

          # Jobs that wait for another one with their key: "QUEUE PAYLOAD".
          class Blocked < Place
            def range(connection, from, count)
              connection.call("LRANGE", key, from, from + count - 1).map do |member|
                name, payload = member.split(" ", 2)
                entry(payload, member, name: name)
              end
            end
          end

          # Claims, oldest first. There are never many more than workers can do at a time.
          class Running < Place
            def size(connection) = connection.call("HLEN", key)

            def range(connection, from, count)
              claims = connection.call("HGETALL", key).to_a.sort_by { |field, _| Taken.read(field) }
              (claims[from, count] || []).map do |field, payload|
                name, _, queue = Taken.read(field)
                entry(payload, field, at: name / 1e6, name: queue)
              end
            end
          end

          # What the sets of {Store::SETS} are called here.
          SORTED = {scheduled: "schedule", retry: "retry", dead: "dead"}.freeze

          # @return [Array<Place>] all there are of a set, in order
          def self.all(connection, set, queue = nil)
            case set
            when :queue
              (queue ? [queue] : names(connection)).flat_map { |name| of_queue(name) }
            when :blocked
              connection.call("SMEMBERS", "raffia:blocked").sort
                .map { |key| Blocked.new(set, "raffia:blocked:#{key}", nil) }
            when :running
              tokens(connection).map { |token| Running.new(set, "raffia:claims:#{token}", nil) }
            else [Sorted.new(set, SORTED.fetch(set), nil)]
            end
          end

          # @return [Array<String>] queues
          def self.names(connection) = connection.call("SMEMBERS", "queues").sort

          # @return [Array<Place>]
          def self.of_queue(name)
            [Above.new(:queue, "raffia:queue:#{name}", name),
              List.new(:queue, "queue:#{name}", name),
              Below.new(:queue, "raffia:queue:#{name}", name)]
          end

          # @return [Array<Integer>] of leases that may have claims, oldest first
          def self.tokens(connection)
            %w[raffia:leases raffia:lost].flat_map { |key| connection.call("HKEYS", key) }
              .map(&:to_i).sort
          end
        end
      end
    end
  end
end
