# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Scripts that move jobs change the hashes of their batches, too.
        class Batches < Store::Batches
          needs :redis, :format

          def open_batch(id, callbacks: {}, about: {}, parent: nil)
            drafts = callbacks.flat_map { |name, draft| [name, callback(draft)] }
            made = @redis.script(:batch, "open", id, Time.now.to_f, JSON.generate(about),
              parent.to_s, *drafts)
            raise Error, Store::Batches.missing(parent) if made.zero?
          end

          def seal_batch(id)
            @redis.script(:batch, "seal", id, safe: true)
            nil
          end

          def batch(id) = to_h(id, @redis.call("HGETALL", key(id)))

          def batches(offset: 0, limit: 50)
            @redis.with(safe: true) do |connection|
              ids = connection.call("ZRANGE", "raffia:batches", offset, offset + limit - 1, "REV")
              found = connection.pipelined do |pipeline|
                ids.each { |id| pipeline.call("HGETALL", key(id)) }
              end
              ids.zip(found).filter_map { |id, fields| to_h(id, fields) }
            end
          end

          private

          def key(id) = "raffia:batch:#{id}"

          # The script adds the time of the enqueue at the end.
          def callback(draft)
            item = JSON.parse(draft.payload).except("enqueued_at")
            "#{@format.version} #{draft.queue} #{@format.outgoing(JSON.generate(item))}"
          end

          def to_h(id, fields)
            return if fields.empty?

            {
              "id" => id, "total" => fields["total"].to_i, "pending" => fields["pending"].to_i,
              "dead" => fields["dead"].to_i, "sealed" => fields["sealed"] == "1",
              "completed_at" => fields["completed_at"]&.to_f,
              "about" => JSON.parse(fields["about"] || "{}"), "parent" => fields["parent"]
            }
          end
        end
      end
    end
  end
end
