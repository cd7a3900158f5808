# frozen_string_literal: true

require_relative "../../../run"
require_relative "../../../task"
require_relative "watcher"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Waiting for something to do.
        module Watching
          # @see Store#wait
          def wait(queues, timeout: nil) = @watch.wait(queues, timeout)

          # @see Store#interrupt
          def interrupt = @watch.interrupt
        end

        # Those of this process who wait. Each has a {Watcher}, whose connection stays for the next
        # one.
        class Watch
          # @param pool [Pool]
          # @param scripts [Scripts]
          def initialize(pool, scripts)
            @pool = pool
            @scripts = scripts
            @lock = Monitor.new
            reset
          end

          # @return [void]
          # @raise [StoreUnavailable]
          def wait(queues, timeout)
            # A wait for the server and for an interruption at once is two tasks.
            unless Fiber.current_scheduler
              return Raffia.run(deadlock: :off) { wait(queues, timeout) }
            end

            reset unless @pid == ::Process.pid
            waiter = enter or return
            watcher = @idle.pop || Watcher.new(@pool, @scripts)
            begin
              listen(watcher, waiter, queues, timeout)
            ensure
              leave(waiter)
              @idle.push(watcher)
            end
          end

          # @return [void]
          def interrupt
            @lock.synchronize do
              @interrupted = @waiters.empty?
              @waiters.each_key { |waiter| waiter.settle(:interrupt) }
            end
          end

          # @return [void]
          def close = @idle.shift(@idle.size).each(&:close)

          private

          def listen(watcher, waiter, queues, timeout)
            Scope.open do |scope|
              task = scope.spawn do
                watcher.call(queues)
                waiter.settle(:change)
              end
              waiter.wait(timeout)
              task.cancel
            end
            nil
          end

          # @return [Waiter, nil] nil when there was an interruption that nobody has had
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
