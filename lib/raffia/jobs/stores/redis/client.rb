# frozen_string_literal: true

require_relative "pool"
require_relative "scripts"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Runs commands and scripts on pooled connections.
        #
        # @api private
        class Client
          # Jobs that one script moves: Redis does nothing else meanwhile.
          SLICE = 100

          # @return [Scripts]
          attr_reader :scripts

          # @param address [Address]
          def initialize(address)
            @pool = Pool.new(address)
            @scripts = Scripts.new
          end

          # @param safe [Boolean] whether it may be done twice, when the connection is lost
          #   meanwhile
          # @yieldparam connection [RedisClient]
          # @raise [StoreUnavailable]
          def with(safe: false, &) = @pool.with(safe: safe, &)

          # @param command [Array<String, Numeric>] that only reads
          def read(*command) = with(safe: true) { |connection| connection.call_v(command) }

          # @param name [Symbol] of a script
          def script(name, *arguments, safe: false)
            with(safe: safe) { |connection| @scripts.call(connection, name, arguments) }
          end

          # Moves jobs whose payload is still the same.
          # @param how [String] "queue", "front", "dead" or "gone"
          # @param rows [Array<Array>] key, present member, new payload, queue
          # @return [Integer] number of jobs moved
          def move(how, rows)
            rows.each_slice(SLICE).sum { |slice| script(:move, how, *slice.flatten) }
          end

          # @return [RedisClient] a new connection, which the caller closes
          def fresh = @pool.fresh

          # @return [void]
          def close = @pool.close
        end
      end
    end
  end
end
