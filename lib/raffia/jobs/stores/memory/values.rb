# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Small facts, some of them for a time only.
        #
        # @api private
        class Values
          def initialize
            @values = {}
            @ends = {}
          end

          def read(key)
            return @values[key] unless (ends = @ends[key]) && ends <= Clock.now

            delete(key)
          end

          def write(key, value, ttl = nil)
            delete(key)
            return if value.nil?

            @values[key] = value
            @ends[key] = Clock.now + ttl if ttl
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
            nil
          end
        end
      end
    end
  end
end
