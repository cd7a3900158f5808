# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # How PostgreSQL says what the statements of {SQL} leave open, and what things of ours are
        # called.
        # @api private
        class Words
          # Bytes of a channel's name: the server has names of 63.
          LONGEST = 63
          # What has a meaning of its own in braces; all else there is a table of ours.
          MEANINGS = {
            "lock" => "FOR UPDATE", "skip_locked" => "FOR UPDATE SKIP LOCKED", "bytes" => "bytea",
            "id" => "bigint PRIMARY KEY",
            "now" => "extract(epoch FROM statement_timestamp())::float8",
            "uptime" => "extract(epoch FROM clock_timestamp())::float8",
            "live" => "ends_at > extract(epoch FROM clock_timestamp())::float8",
            "ids" => "= ANY(%s::bigint[])", "names" => "= ANY(%s::text[])",
            "contains" => "position(%2$s::bytea IN %1$s) > 0"
          }.freeze
          private_constant :MEANINGS

          # @param schema [String]
          def initialize(schema)
            @schema = schema
            @texts = {}
          end

          # @return [String]
          attr_reader :schema

          # @param sql [String] of {SQL}: a constant, or one of a few
          # @return [String] for PostgreSQL
          def text(sql)
            @texts[sql] ||= sql.gsub(/\{(\w+)((?: [^ }]+)*)\}/) { meaning($1, $2.split) }
          end

          # What locks of ours begin with, so that they are not another application's.
          # @return [Integer]
          def seed = @seed ||= Digest::SHA256.digest("raffia/#{@schema}").unpack1("q>")

          # @param queues [Array<String>]
          # @return [Array<String>] where their news are told
          def channels(queues) = queues.map { |queue| channel(queue) }

          private

          def meaning(word, arguments)
            found = MEANINGS[word] or return "\"#{@schema}\".#{word}"

            arguments.empty? ? found : format(found, *arguments)
          end

          def channel(queue)
            name = "raffia/#{@schema}/#{queue}"
            if name.bytesize <= LONGEST
              name
            else
              "#{name.byteslice(0, LONGEST - 17)}/#{Digest::SHA256.hexdigest(name)[0, 16]}"
            end
          end
        end
      end
    end
  end
end
