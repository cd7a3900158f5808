# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # A job that this process has reserved, on a connection of its own.
        # @api private
        class Reservation
          # Share of the time to run after which a job is touched.
          SHARE = 0.4
          private_constant :SHARE

          attr_reader :id, :bytes, :connection, :facts

          # Returns nil when there is no job within so many seconds.
          def self.take(connection, seconds)
            word, id, _, bytes = connection.call("reserve-with-timeout", seconds)
            return unless word == "RESERVED"

            began = Clock.now
            facts = connection.facts("stats-job", id)
            new(connection, id.to_i, bytes, facts, began) if facts
          end

          def initialize(connection, id, bytes, facts, began)
            @connection = connection
            @id = id
            @bytes = bytes
            @facts = facts
            @touched_at = began
          end

          def tube = @facts["tube"].to_s

          def priority = @facts["pri"]

          # Failures by now.
          def failures = @facts["releases"]

          # When it is to be touched.
          def due = @touched_at + @facts["ttr"] * SHARE

          # Gives it its whole time to run again. Returns false when it is not ours any more.
          def touch
            now = Clock.now
            return false unless @connection.call("touch", @id).first == "TOUCHED"

            @touched_at = now
            true
          end
        end
      end
    end
  end
end
