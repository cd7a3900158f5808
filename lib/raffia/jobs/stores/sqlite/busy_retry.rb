# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Waits for another process, or another handle of this one, that has the database locked.
        # SQLite itself would wait with Ruby's lock held, so a thread of this process could never
        # release it.
        # @api private
        module BusyRetry
          # Seconds between two tries. Most locks are held for less than a millisecond.
          PAUSES = (0.0002..0.01)

          # @param timeout [Numeric] seconds
          # @yield again and again, while the database is busy
          # @return [Object] what the block returns
          def self.call(timeout)
            pause = PAUSES.begin
            begin
              yield
            rescue Driver.error => error
              raise unless Driver.busy?(error) && Clock.now < (deadline ||= Clock.now + timeout)

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
