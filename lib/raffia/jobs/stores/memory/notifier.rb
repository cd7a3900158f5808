# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Notifier < Store::Notifier
          needs :lock, :jobs

          def initialize(...)
            super
            @waiting = @interrupts = 0
            @interrupted = false
          end

          def wait(queues, timeout: nil)
            deadline = timeout && Clock.now + timeout
            before = @interrupts
            @waiting += 1
            until @interrupts != before || @interrupted || @jobs.queues.any?(queues)
              left = seconds_left(deadline)
              break if left && left <= 0

              @lock.wait(left)
            end
            @interrupted = false
            nil
          ensure
            @waiting -= 1
          end

          def interrupt
            @waiting.zero? ? @interrupted = true : @interrupts += 1
            @lock.broadcast
            nil
          end

          private

          # Seconds until the deadline, or until the next job is due.
          def seconds_left(deadline)
            due = @jobs.next_due
            [deadline && deadline - Clock.now, due && due - Time.now.to_f].compact.min
          end
        end
      end
    end
  end
end
