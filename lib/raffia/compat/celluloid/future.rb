# frozen_string_literal: true

module Celluloid
  # The value of a call, or of a block that runs in a thread.
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

    # An actor continues with other messages meanwhile.
    def value(timeout = nil)
      (ready? || wait(timeout)) or raise TaskTimeout, "no value within #{timeout} seconds"
      @inner.value
    rescue ::Raffia::ActorDied => error
      raise DeadActorError, error.message
    end
    alias_method :call, :value

    def signal(value)
      return if @cancelled

      @inner.attempt { value.respond_to?(:value) ? value.value : value } or
        raise "the future has already happened!"
    end
    alias_method :<<, :signal

    def cancel(error)
      @cancelled = true
      @inner.fail(error)
    end

    def attempt(&) = @inner.attempt(&)

    def settle(value = nil) = @inner.settle(value)

    def fail(error) = @inner.fail(error)

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
