# frozen_string_literal: true

module Celluloid
  # A value that comes later: what a call returns, or what a block returns that runs in a thread.
  class Future
    attr_reader :address

    def self.new(*arguments, &block)
      return super() unless block

      super().tap do |future|
        Internals.threads.submit { future.attempt { block.call(*arguments) } }
      end
    end

    def initialize
      @address = Celluloid.uuid
      @inner = ::Raffia::Actor::Future.new
    end

    def ready? = @inner.done?

    # Waits for it; an actor goes on with other messages meanwhile.
    # +timeout+: seconds.
    # Raises TaskTimeout.
    # Raises Exception what the method raised.
    def value(timeout = nil)
      (ready? || wait(timeout)) or raise TaskTimeout, "no value within #{timeout} seconds"
      @inner.value
    rescue ::Raffia::ActorDied => error
      raise DeadActorError, error.message
    end
    alias_method :call, :value

    # Has its value said by somebody else.
    def signal(value)
      return if @cancelled

      @inner.attempt { value.respond_to?(:value) ? value.value : value } or
        raise "the future has already happened!"
    end
    alias_method :<<, :signal

    # Fails the future with this error.
    def cancel(error)
      @cancelled = true
      @inner.fail(error)
    end

    # @api private
    def attempt(&) = @inner.attempt(&)

    # @api private
    def settle(value = nil) = @inner.settle(value)

    # @api private
    def fail(error) = @inner.fail(error)

    # @api private
    def settled? = ready?

    def inspect = to_s

    private

    def wait(timeout)
      task = ::Thread.current[:celluloid_task]
      return @inner.wait(timeout) if task.nil? || task.exclusive?

      suspension = task.arm
      @inner.on_end { suspension.settle(true) }
      timer = task.cell.group.after(timeout) { suspension.settle(false) && nil } if timeout
      task.suspend(:futurewait)
    ensure
      timer&.cancel
    end
  end
end
