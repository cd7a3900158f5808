# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Notifier)
        class Notifier < Store::Notifier
          def initialize(lock, jobs)
            @lock = lock
            @jobs = jobs
            @waiting = @interrupts = 0
            @interrupted = false
          end

          def wait(queues, timeout: nil)
            deadline = timeout && Clock.now + timeout
            @lock.synchronize do
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
          end

          def interrupt
            @lock.synchronize do
              @waiting.zero? ? @interrupted = true : @interrupts += 1
              @lock.broadcast
              nil
            end
          end

          private

          # @return [Numeric, nil] until the deadline, or the next job is due
          def seconds_left(deadline)
            due = @jobs.next_due
            [deadline && deadline - Clock.now, due && due - Time.now.to_f].compact.min
          end
        end
      end
    end
  end
end
