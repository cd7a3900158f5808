# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        class Administration < Store::Administration
          # Jobs that one script removes: Redis does nothing else meanwhile.
          SLICE = 500

          # Sets of paused queues, and of paused tenants as "QUEUE KEY".
          QUEUES = "paused"
          TENANTS = "raffia:paused"

          needs :redis, :format

          def delete(entries) = move_to("gone", entries, Store::SETS - %i[running], &:payload)

          def requeue(entries)
            move_to("queue", entries, %i[scheduled retry blocked dead]) do |entry|
              rewrite = Store::Rewrite.method((entry.set == :dead) ? :anew : :queued)
              @format.outgoing(rewrite.call(entry.payload))
            end
          end

          def kill(entries) = move_to("dead", entries, %i[queue scheduled retry], &:payload)

          def move(entries, queue)
            entries = entries.select { |entry| %i[queue scheduled retry dead].include?(entry.set) }
            rows = entries.map do |entry|
              [*entry.ref, Store::Rewrite.moved(entry.payload, queue), queue]
            end
            @redis.move("another", rows)
          end

          def replace(payloads)
            rows = payloads.reject { |entry, _| entry.set == :running }
              .map { |entry, payload| [*entry.ref, entry.payload, payload] }
            rows.each_slice(Client::SLICE).sum { |slice| @redis.script(:replace, *slice.flatten) }
          end

          def clear(set, queue: nil)
            return 0 if set == :running

            sizes = @redis.with(safe: true) do |connection|
              Collections.all(connection, set, queue).uniq(&:key)
                .map { |collection| [collection.key, collection.whole(connection)] }
            end
            sizes.sum { |key, size| clear_key(key, size) }
          end

          def pause(queue, tenant: nil)
            @redis.call("SADD", *(tenant ? [TENANTS, "#{queue} #{tenant}"] : [QUEUES, queue]))
            nil
          end

          def resume(queue, tenant: nil)
            return resume_tenant(queue, tenant) if tenant

            @redis.call("SREM", QUEUES, queue)
            nil
          end

          private

          # A resume that was interrupted goes on when it is repeated.
          def resume_tenant(queue, tenant)
            nil until @redis.script(:resume_tenant, queue, tenant, SLICE) < SLICE
          end

          def clear_key(key, size)
            count = 0
            loop do
              count += gone = @redis.script(:clear, key, [size - count, SLICE].min)
              return count if gone.zero? || count >= size
            end
          end

          def move_to(how, entries, sets)
            entries = entries.select { |entry| sets.include?(entry.set) }
            rows = entries.map { |entry| [*entry.ref, yield(entry), entry.queue || "default"] }
            @redis.move(how, rows)
          end
        end
      end
    end
  end
end
