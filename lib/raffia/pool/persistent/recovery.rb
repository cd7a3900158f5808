# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../executor/failure"
require_relative "../retry/policy"

module Raffia
  class Pool
    module Persistent
      # Decides what becomes of the futures of a worker that is gone: what it was at fails, or is
      # tried again; the rest goes to other workers.
      #
      # @api private
      class Recovery
        # @param coordinator [Coordinator]
        # @param guard [SpinLock]
        # @param retries [Retry::Policy, nil]
        def initialize(coordinator, guard, retries)
          @coordinator = coordinator
          @guard = guard
          @retries = retries
          @false_starts = 0
        end

        # A worker has answered.
        # @return [void]
        def worked = @false_starts = 0

        # Whether another worker is to take the place; else it is a crash.
        # @param interrupted [Boolean] whether a future's cancellation ended the worker
        def replace?(error, slot, interrupted:)
          return false unless interrupted || error.is_a?(TimeoutError) || retried?(error, slot)

          index = slot.begun unless interrupted
          begun, rest = take(slot).partition { |_, number| number == index }
          reject(begun, error)
          @coordinator.put_back(rest.map(&:first).reject(&:done?))
          true
        end

        # What the worker had finished without saying so, and what it was at, is lost with it.
        # @return [void]
        def crash(error, slot)
          hopeless = hopeless?(error, slot)
          begun = (error.is_a?(WorkerDied) && !hopeless) ? slot.begun || -1 : Float::INFINITY
          lost, rest = take(slot).partition { |_, number| number <= begun }
          reject(lost, error)
          @coordinator.put_back(rest.map(&:first))
          give_up(error) if hopeless
        end

        # No worker could be had at all: all that wait hear why, rather than waiting for ever.
        # @return [void]
        def give_up(error)
          reject(@coordinator.feed.drain.map { |future| [future, nil] }, error)
        end

        private

        def retried?(error, slot) = @retries && error.is_a?(WorkerDied) && slot.begun

        def take(slot)
          slot.posted.flat_map { |chunk| chunk.items.zip(chunk.first..) }.tap { slot.posted.clear }
        end

        def reject(numbered, error)
          numbered.each { |future, _| future.reject(Executor::Failure.of(for_one(error, future))) }
        end

        # Each future has a WorkerDied that names its own item.
        def for_one(error, future)
          return error unless error.is_a?(WorkerDied)

          own = WorkerDied.new(pid: error.pid, signal: error.signal, status: error.status,
            item: future.subject, index: future.number)
          own.tap { own.set_backtrace(error.backtrace) }
        end

        # Whether workers die one after another before they have begun anything.
        def hopeless?(error, slot)
          return false unless error.is_a?(WorkerDied) && slot.begun.nil?

          @guard.hold {
            (@false_starts += 1) > Retry::Policy::FALSE_STARTS &&
              (@false_starts = 0)
          } && true
        end
      end
    end
  end
end
