# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Repeats the end of a claim until the server takes it, for example after its restart, or
        # until the lease must be lost.
        # @api private
        class CompletionRetry
          # Seconds between tries: the first, and the longest.
          PAUSES = [0.1, 2].freeze
          HOLDS = "SELECT 1 FROM {leases} WHERE token = $1 AND {live}"
          private_constant :PAUSES, :HOLDS

          def initialize(database)
            @database = database
          end

          # The answer may have been lost, and not the change. While the lease holds, nobody else
          # can have made the change.
          # @param operation [Proc]
          # @yieldparam db [Driver]
          # @yieldparam done [Object] the operation's result
          # @yieldreturn [Object] the result, when this was not the first try
          def call(lease, operation, &block)
            deadline = nil
            pause = PAUSES.first
            begin
              done = operation.call
              deadline ? verify(lease, done, &block) : done
            rescue StoreUnavailable
              raise if Clock.now > (deadline ||= Clock.now + lease.ttl)

              sleep(pause)
              pause = [pause * 2, PAUSES.last].min
              retry
            end
          end

          private

          def verify(lease, done)
            @database.read { |db| (db.rows(HOLDS, lease.token).any? && yield(db, done)) || done }
          end
        end
      end
    end
  end
end
