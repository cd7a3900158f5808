# frozen_string_literal: true

module Celluloid
  # Core of a pool. Calls for its workers wait as they are until one is free: as tasks, each of them
  # would have a fiber.
  #
  # @api private
  class PoolCell < Cell
    attr_reader :calls

    def initialize(...)
      @calls = []
      super
    end

    # Fails the calls that wait here, like those in the mailbox.
    def die(reason)
      super
    ensure
      error = ::Raffia::ActorDied.new(ref: ref, reason: reason)
      @calls.shift.broken(error) until @calls.empty?
    end

    def invalidate_after_fork
      super
      @calls.clear
    end

    def stats = super.tap { |stats| stats[:mailbox] += @calls.size }

    private

    def build_execution = Execution.new(self)

    # Assigns calls to workers, and runs only the pool's own methods as tasks.
    class Execution < TaskExecution
      private

      def perform(call)
        return super unless @object.__for_workers__?(call.name)
        return if call.unwanted?

        @handled += 1
        @object.__assign__(call)
      rescue => error
        failed(call, error)
      end
    end
    private_constant :Execution

    # Passes a worker's answer on to the caller of the pool.
    class Relay
      def initialize(call, worker, &at_end)
        @call = call
        @worker = worker
        @at_end = at_end
      end

      # A worker is free only when it has answered, even if the caller does not wait any more.
      def settled? = false

      def settle(value = nil)
        @at_end.call
        @call.answer(value)
      end

      def fail(error)
        @at_end.call
        if error.is_a?(::Raffia::ActorDied) && error.ref.equal?(@worker.ref)
          error = DeadActorError.new("attempted to call a dead actor: #{@call.name}")
        end
        @call.broken(error) && @call.awaited?
      end
    end
  end
end
