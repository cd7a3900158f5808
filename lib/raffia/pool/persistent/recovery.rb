# frozen_string_literal: true

require_relative "../retry/policy"

module Raffia
  class Pool
    module Persistent
      # Has futures tried again: those that failed, after a pause, and those of a worker that died.
      # The one that the worker was at fails, or counts an attempt; the rest goes to other workers.
      #
      # @api private
      class Recovery
        def initialize(coordinator, lock, retries)
          @coordinator = coordinator
          @lock = lock
          @retries = retries
          @false_starts = 0
          @delays = Executor::DelayQueue.new { |future| resume(future) }
        end

        def close = @delays.close

        def again?(future, failure, failed)
          return false if @retries.nil? || future.done? || !@retries.worth?(failure)

          pause = @retries.pause(failed, future.deadline) or return false
          future.put_back
          @coordinator.group ? @delays.add(future, pause) : resume_here(future, pause)
          true
        end

        def worked = @false_starts = 0

        # Whether another worker is to take the place; else it is a crash.
        def replace?(error, slot, interrupted:)
          return false unless interrupted || error.is_a?(TimeoutError) || retried?(error, slot)

          index = slot.begun unless interrupted
          begun, rest = take(slot).partition { |_, number| number == index }
          reject(begun, error)
          @coordinator.put_back(rest.map(&:first).reject(&:done?))
          true
        end

        # Finished work that the worker had not reported is lost with it, and so is the current one.
        def crash(error, slot)
          hopeless = hopeless?(error, slot)
          begun = (error.is_a?(WorkerDied) && !hopeless) ? slot.begun || -1 : Float::INFINITY
          lost, rest = take(slot).partition { |_, number| number <= begun }
          reject(lost, error)
          @coordinator.put_back(rest.map(&:first))
          give_up(error) if hopeless
        end

        # No worker could be had at all: all that wait fail, rather than wait for ever.
        def give_up(error)
          reject(@coordinator.feed.drain.map { |future| [future, nil] }, error)
        end

        private

        # A caller that waits for it may have done it meanwhile.
        def resume(future)
          @coordinator.put_back([future]) if future.status == :pending
          @coordinator.employ
        end

        def resume_here(future, pause)
          Waiter.nap(pause)
          future.run
        end

        def retried?(error, slot) = @retries && error.is_a?(WorkerDied) && slot.begun

        def take(slot)
          slot.posted.flat_map { |chunk| chunk.items.zip(chunk.first..) }.tap { slot.posted.clear }
        end

        def reject(numbered, error)
          numbered.each { |future, _| future.reject(Executor::Failure.of(for_one(error, future))) }
        end

        # A WorkerDied for each future, which names its own item.
        def for_one(error, future)
          return error unless error.is_a?(WorkerDied)

          own = WorkerDied.new(pid: error.pid, signal: error.signal, status: error.status,
            item: future.subject, index: future.number)
          own.tap { own.set_backtrace(error.backtrace) }
        end

        # Whether workers die one after another before they have begun anything.
        def hopeless?(error, slot)
          return false unless error.is_a?(WorkerDied) && slot.begun.nil?

          @lock.hold {
            (@false_starts += 1) > Retry::Policy::FALSE_STARTS && (@false_starts = 0)
          } && true
        end
      end
    end
  end
end
