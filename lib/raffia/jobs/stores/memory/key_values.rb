# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class KeyValues < Store::KeyValues
          def initialize(...)
            super
            @values = {}
            @ends = {}
          end

          def read(key)
            delete(key) if @ends[key]&.<=(Clock.now)
            @values[key]
          end

          def write(key, value, expect: :any, ttl: nil)
            return false unless expect == :any || read(key) == expect

            delete(key)
            @values[key] = value unless value.nil?
            @ends[key] = Clock.now + ttl if ttl && value
            true
          end

          def keys(prefix)
            prune
            @values.keys.select { |key| key.start_with?(prefix) }.sort
          end

          def prune = @ends.keys.each { |key| read(key) }

          private

          def delete(key)
            @values.delete(key)
            @ends.delete(key)
          end
        end
      end
    end
  end
end
