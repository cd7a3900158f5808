# frozen_string_literal: true

require_relative "places"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # What is where. Redis is read in several steps, so jobs may move meanwhile.
        module Looking
          # How many are read at once.
          PAGE = 500
          # How many are looked through by the server itself, which does nothing else meanwhile.
          SLICE = 2000
          # Queues may be long.
          BY_SIZE = (Store::SETS - [:queue] + [:queue]).freeze

          # @see Store#queues
          def queues(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            redis(safe: true) do |connection|
              paused = connection.call("SMEMBERS", "paused")
              (Places.names(connection) | paused).sort
                .map { |name| queue_facts(connection, name, paused.include?(name)) }
            end
          end

          # @see Store#counts
          def counts(most: nil) # rubocop:disable Lint/UnusedMethodArgument
            redis(safe: true) do |connection|
              sizes = Store::SETS.to_h do |set|
                [set, Places.all(connection, set).sum { |place| place.size(connection) }]
              end
              processed, failed = connection.call("MGET", "stat:processed", "stat:failed")
              sizes.merge(processed: processed.to_i, failed: failed.to_i)
            end
          end

          # @see Store#entries
          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            redis(safe: true) do |connection|
              places = Places.all(connection, set, queue)
              if match
                next each_entry(connection, places).lazy
                  .select { |entry| entry.payload.include?(match) }.drop(offset).first(limit)
              end

              span(connection, places, offset, limit)
            end
          end

          # @see Store#find
          def find(jid, most: nil)
            redis(safe: true) do |connection|
              BY_SIZE.each do |set|
                found = find_in(connection, Places.all(connection, set), jid, most ||
                  Float::INFINITY) and return found
              end
              nil
            end
          end

          private

          # The next ones of each place, so that a long queue does not hide what is in the others.
          def find_in(connection, places, jid, most)
            sizes = places.to_h { |place| [place, place.size(connection)] }
              .reject { |_, size| size.zero? }
            share = [most / [sizes.size, 1].max, SLICE].max
            sizes.each do |place, size|
              (0...[size, share].min).step(SLICE) do |from|
                next unless place.mentions?(connection, @scripts, jid, from, SLICE)

                found = place.range(connection, from, SLICE).find { |entry| entry.jid == jid } and
                  return found
              end
            end
            nil
          end

          def queue_facts(connection, name, paused)
            places = Places.of_queue(name)
            oldest = places.filter_map { |place| place.range(connection, 0, 1).first }
              .filter_map { |entry| since(entry.item) }.min
            {"name" => name, "size" => places.sum { |place| place.size(connection) },
             "paused" => paused,
             "latency" => oldest ? [Time.now.to_f - oldest, 0].max : 0}
          end

          # @return [Float, nil] when a job came into its queue
          def since(item) = Payload.time(item["enqueued_at"] || item["created_at"])

          # Goes over places that are longer than what is wanted.
          def span(connection, places, offset, limit)
            found = []
            places.each do |place|
              break if found.size >= limit

              size = place.size(connection)
              found.concat(place.range(connection, offset, limit - found.size)) if offset < size
              offset = [offset - size, 0].max
            end
            found
          end

          def each_entry(connection, places)
            Enumerator.new do |out|
              places.each do |place|
                from = 0
                until (page = place.range(connection, from, PAGE)).empty?
                  page.each { |entry| out << entry }
                  from += page.size
                end
              end
            end
          end
        end
      end
    end
  end
end
