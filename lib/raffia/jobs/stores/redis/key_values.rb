# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Redis expires keys by itself. A set has their names.
        class KeyValues < Store::KeyValues
          # For scripts, because Redis has no nil.
          def self.optional(value) = value.nil? ? [0, ""] : [1, value]

          needs :redis

          def read(key) = @redis.call("GET", "raffia:value:#{key}")

          def write(key, value, expect: :any, ttl: nil)
            expected = (expect == :any) ? [2, ""] : KeyValues.optional(expect)
            milliseconds = ttl ? Leases.milliseconds(ttl) : ""
            @redis.script(:write, key, *expected, *KeyValues.optional(value), milliseconds) == 1
          end

          def keys(prefix)
            @redis.with(safe: true) do |connection|
              # No text has a byte of 255.
              range = ["[#{prefix}", "[#{prefix}".b << 255]
              names = connection.call("ZRANGE", "raffia:values", *range, "BYLEX")
              existing = connection.pipelined do |pipeline|
                names.each { |name| pipeline.call("EXISTS", "raffia:value:#{name}") }
              end
              names.zip(existing).filter_map { |name, yes| name if yes == 1 }
            end
          end
        end
      end
    end
  end
end
