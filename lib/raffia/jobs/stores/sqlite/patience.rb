# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # How to wait for another process, or another handle of this one, that has the database
        # locked. SQLite would wait with Ruby's lock held, and if who has the database is a thread
        # of this process, it could never let go of it.
        # @api private
        module Patience
          # Seconds between two tries. As a rule a database is held for less than a millisecond.
          PAUSES = (0.0002..0.01)

          # @param timeout [Numeric] seconds
          # @yield again and again, while the database is busy
          # @return [Object] what the block returns
          def self.wait(timeout)
            pause = PAUSES.begin
            begin
              yield
            rescue Driver.error => error
              raise unless Driver.busy?(error) && Clock.now < (give_up ||= Clock.now + timeout)

              sleep(pause)
              pause = (pause * 2).clamp(PAUSES)
              retry
            end
          end
        end
      end
    end
  end
end
