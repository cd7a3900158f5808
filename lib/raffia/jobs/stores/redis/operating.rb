# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # What people do by hand.
        module Operating
          # How many one script throws away: others wait for Redis meanwhile.
          AT_ONCE = 500

          # @see Store#delete
          def delete(entries)
            operate("gone", entries, Store::SETS - %i[running]) { |entry| entry.payload }
          end

          # @see Store#requeue
          def requeue(entries)
            operate("queue", entries, %i[scheduled retry blocked dead]) do |entry|
              @dialect.outgoing(Store::Rewrite.public_send((entry.set == :dead) ? :anew : :queued,
                entry.payload))
            end
          end

          # @see Store#kill
          def kill(entries)
            operate("dead", entries, %i[queue scheduled retry]) { |entry| entry.payload }
          end

          # @see Store#clear
          def clear(set, queue: nil)
            return 0 if set == :running

            sizes = redis(safe: true) do |connection|
              Places.all(connection, set, queue).uniq(&:key)
                .map { |place| [place.key, place.whole(connection)] }
            end
            sizes.sum { |key, size| clear_key(key, size) }
          end

          # @see Store#pause
          def pause(queue)
            redis(safe: true) { |connection| connection.call("SADD", "paused", queue) }
            nil
          end

          # @see Store#resume
          def resume(queue)
            redis(safe: true) { |connection| connection.call("SREM", "paused", queue) }
            nil
          end

          private

          def clear_key(key, size)
            count = 0
            loop do
              count += gone = script(:clear, key, [size - count, AT_ONCE].min)
              return count if gone.zero? || count >= size
            end
          end

          def operate(how, entries, sets)
            entries = entries.select { |entry| sets.include?(entry.set) }
            move(how, entries.map { |entry| [*entry.ref, yield(entry), entry.queue || "default"] })
          end
        end
      end
    end
  end
end
