# frozen_string_literal: true

require "timeout"

module Raffia
  # Runs the block to its end: cancellations and timeouts that come meanwhile, or were on their way,
  # are raised after it. For clean-up in `ensure` that must wait, such as a rollback. Bound it:
  # `Raffia.shield { Raffia.timeout(5) { ... } }`. Timeouts and scopes inside of the block work as
  # ever.
  #
  # @return [Object] the block's value
  # @raise [Cancel] after the block, when the task was cancelled during it
  def self.shield(&block)
    if Fiber.current_scheduler
      return CancellationStack.enter(nil, shield: true) { Deadline.replace(nil, &block) }
    end

    # A thread's own timeouts come by Thread#raise, and so does what stops a worker of a pool.
    Thread.handle_interrupt(::Timeout::ExitException => :never, Cancel => :never) do
      CancellationStack.enter(nil, shield: true) { Deadline.replace(nil, &block) }
    end
  end
end
