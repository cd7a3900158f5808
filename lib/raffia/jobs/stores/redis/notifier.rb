# frozen_string_literal: true

require_relative "../../../run"
require_relative "tracking_connection"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Each wait has a {TrackingConnection}, which the next one uses again.
        class Notifier < Store::Notifier
          needs :redis

          def initialize(...)
            super
            @lock = Monitor.new
            reset
          end

          def wait(queues, timeout: nil)
            # Waiting for the server and for an interrupt takes two tasks.
            unless Fiber.current_scheduler
              return Raffia.run(deadlock: :off) { wait(queues, timeout: timeout) }
            end

            reset unless @pid == ::Process.pid
            waiter = enter or return
            connection = @idle.pop || TrackingConnection.new(@redis)
            begin
              listen(connection, waiter, queues, timeout)
            ensure
              leave(waiter)
              @idle.push(connection)
            end
          end

          def interrupt
            @lock.synchronize do
              @interrupted = @waiters.empty?
              @waiters.each_key { |waiter| waiter.settle(:interrupt) }
            end
          end

          def close = @idle.shift(@idle.size).each(&:close)

          private

          def listen(connection, waiter, queues, timeout)
            Scope.open do |scope|
              task = scope.spawn do
                connection.wait(queues)
                waiter.settle(:change)
              end
              waiter.wait(timeout)
              task.cancel
            end
            nil
          end

          # Nil after an interrupt that no wait has had.
          def enter
            @lock.synchronize do
              next @interrupted = nil if @interrupted

              Waiter.new.tap { |waiter| @waiters[waiter] = true }
            end
          end

          def leave(waiter) = @lock.synchronize { @waiters.delete(waiter) }

          def reset
            @lock.synchronize do
              next if @pid == ::Process.pid

              @idle = []
              @waiters = {}.compare_by_identity
              @interrupted = nil
              @pid = ::Process.pid
            end
          end
        end
      end
    end
  end
end
