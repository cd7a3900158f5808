# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Small facts: a key each, because Redis forgets keys by itself when their time has come,
        # and a set of their names.
        module Values
          # @see Store#now
          def now
            seconds, microseconds = redis(safe: true) { |connection| connection.call("TIME") }
            seconds.to_i + microseconds.to_i / 1e6
          end

          # @see Store#read
          def read(key)
            redis(safe: true) { |connection| connection.call("GET", "raffia:value:#{key}") }
          end

          # @see Store#write
          def write(key, value, expect: :any, ttl: nil)
            expected = (expect == :any) ? [2, ""] : optional(expect)
            script(:write, key, *expected, *optional(value), ttl ? milliseconds(ttl) : "") == 1
          end

          # @see Store#keys
          def keys(prefix)
            redis(safe: true) do |connection|
              # No text has a byte of 255.
              names = connection.call("ZRANGE", "raffia:values", "[#{prefix}",
                "[#{prefix}".b << 255, "BYLEX")
              there = connection.pipelined do |pipeline|
                names.each { |name| pipeline.call("EXISTS", "raffia:value:#{name}") }
              end
              names.zip(there).filter_map { |name, yes| name if yes == 1 }
            end
          end
        end
      end
    end
  end
end
