# frozen_string_literal: true

module Raffia
  class Pool
    # --- What a long-lived pool does when work fails or is to stop. Not for users.

    # @return [Numeric, nil] seconds for an attempt, where blocks run here
    # @api private
    attr_reader :item_timeout

    # Whether work that has failed goes back into the queue.
    # @param failed [Integer] how many of its attempts have failed
    # @api private
    def again?(future, failure, failed)
      return false if @retries.nil? || @terminated || future.done? || !@retries.worth?(failure)

      pause = @retries.pause(failed, future.deadline) or return false
      future.put_back
      @crew ? @pauses.add(future, pause) : resume_here(future, pause)
      true
    end

    # Stop work that runs.
    # @return [Symbol, false] see {Future#cancel}
    # @api private
    def interrupt(future, reason)
      return future.interrupt(reason) unless elsewhere?
      return false unless future.cut_off(reason)

      seat = @guard.hold { @seats.values }.find { |one| at_work?(one, future) }
      return :dropped unless seat

      @guard.hold { @halted[seat] = true }
      seat.halt
    end

    # A worker is gone. Whether its driver is to take another one; else it is a crash.
    # @api private
    def salvage(error, seat)
      meant = @guard.hold { @halted.delete(seat) }
      if !meant && !error.is_a?(TimeoutError) &&
          !(@retries && error.is_a?(WorkerDied) && seat.begun)
        return false
      end

      index = seat.begun unless meant
      rest = seat.posted.flat_map { |chunk| chunk.items.zip(chunk.first..) }
      seat.posted.clear
      begun, rest = rest.partition { |_, number| number == index }
      begun.each { |future, _| future.reject(Work.failure(for_one(error, future), 0)) }
      put_back(rest.map(&:first).reject(&:done?))
      !@terminated
    end

    private

    # Whether the worker is at this piece of work right now, as far as that can be known.
    def at_work?(seat, future)
      # One that has nothing may have gone already, and what it noted with it.
      return false if seat.posted.empty?

      index = seat.begun or return false
      seat.posted.any? { |chunk| chunk.cover?(index) && chunk.at(index).equal?(future) }
    end

    # Unless somebody who waits for it has done it meanwhile.
    def resume(future)
      put_back([future]) if future.status == :pending
      man
    end

    # In a pool without workers.
    def resume_here(future, pause)
      Waiter.nap(pause)
      future.run
    end
  end
end
