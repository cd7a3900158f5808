# frozen_string_literal: true

require "json"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Batches: a hash each. What changes them is part of the scripts that move their jobs.
        module Batches
          # @see Store#open_batch
          def open_batch(id, callbacks: {}, about: {}, parent: nil)
            drafts = callbacks.flat_map { |name, draft| [name, callback(draft)] }
            made = script(:batch, "open", id, Time.now.to_f, JSON.generate(about), parent.to_s,
              *drafts)
            raise Error, "there is no batch #{parent}: open it before its parts" if made.zero?
          end

          # @see Store#seal_batch
          def seal_batch(id)
            script(:batch, "seal", id, safe: true)
            nil
          end

          # @see Store#batch
          def batch(id)
            fields = redis(safe: true) do |connection|
              connection.call("HGETALL", "raffia:batch:#{id}")
            end
            batch_of(id, fields) unless fields.empty?
          end

          # @see Store#batches
          def batches(offset: 0, limit: 50)
            redis(safe: true) do |connection|
              ids = connection.call("ZRANGE", "raffia:batches", offset, offset + limit - 1, "REV")
              found = connection.pipelined do |pipeline|
                ids.each { |id| pipeline.call("HGETALL", "raffia:batch:#{id}") }
              end
              ids.zip(found).filter_map { |one, fields| batch_of(one, fields) unless fields.empty? }
            end
          end

          private

          # The script writes when it was enqueued behind the rest.
          def callback(draft)
            payload = @dialect.outgoing(JSON.generate(JSON.parse(draft.payload)
              .except("enqueued_at")))
            "#{@dialect.version} #{draft.queue} #{payload}"
          end

          def batch_of(id, fields)
            {
              "id" => id, "total" => fields["total"].to_i, "pending" => fields["pending"].to_i,
              "dead" => fields["dead"].to_i,
              "sealed" => fields["sealed"] == "1", "completed_at" => fields["completed_at"]&.to_f,
              "about" => JSON.parse(fields["about"] || "{}"),
              "parent" => fields["parent"]
            }
          end
        end
      end
    end
  end
end
