# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Also has the names of channels and locks.
        class Dialect < SQL::Dialect
          # Bytes of a channel's name: the server's limit.
          LONGEST = 63
          WORDS = {
            **SQL::Dialect::WORDS,
            "lock" => "FOR UPDATE", "try_lock" => "FOR UPDATE SKIP LOCKED",
            "skip_locked" => "FOR UPDATE SKIP LOCKED",
            "id" => "bigint PRIMARY KEY", "bytes" => "bytea",
            "now" => "extract(epoch FROM statement_timestamp())::float8",
            "uptime" => "extract(epoch FROM clock_timestamp())::float8",
            "live" => "ends_at > extract(epoch FROM clock_timestamp())::float8",
            "ids" => "= ANY(%s::bigint[])", "names" => "= ANY(%s::text[])",
            "contains" => "position(%2$s::bytea IN %1$s) > 0"
          }.freeze

          attr_reader :schema

          def initialize(schema)
            super({**WORDS, "index" => "\"#{schema}\".%s"}, "\"#{schema}\".")
            @schema = schema
          end

          # Sets these advisory locks apart from an application's.
          def seed = @seed ||= Digest::SHA256.digest("raffia/#{@schema}").unpack1("q>")

          def channels(queues) = queues.map { |queue| channel(queue) }

          private

          def channel(queue)
            name = "raffia/#{@schema}/#{queue}"
            return name if name.bytesize <= LONGEST

            "#{name.byteslice(0, LONGEST - 17)}/#{Digest::SHA256.hexdigest(name)[0, 16]}"
          end
        end
      end
    end
  end
end
