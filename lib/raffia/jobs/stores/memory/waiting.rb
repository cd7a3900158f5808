# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # Waits for something to happen.
        module Waiting
          # (see Store#wait)
          def wait(queues, timeout: nil)
            ends = timeout && Clock.now + timeout
            sync do |all|
              turn = @turn
              @waiting += 1
              until @turn != turn || @interrupted || all.queues.any?(queues)
                left = seconds_left(all, ends)
                break if left && left <= 0

                @changed.wait(@lock, left)
              end
              @interrupted = false
              nil
            ensure
              @waiting -= 1
            end
          end

          # (see Store#interrupt)
          def interrupt
            sync do
              @waiting.zero? ? @interrupted = true : @turn += 1
              wake
              nil
            end
          end

          private

          # To the end of the wait, or until a job is due: whatever comes first.
          def seconds_left(all, ends)
            due = all.next_due
            [ends && ends - Clock.now, due && due - Time.now.to_f].compact.min
          end

          # Whoever waits looks again.
          def wake = @changed.broadcast
        end
      end
    end
  end
end
