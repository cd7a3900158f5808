# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # A block of code that owns the tasks spawned in it, and ends only after all of them. So no task
  # outlives the code that started it, and no error is lost. The first error cancels the other
  # tasks, and the block where it waits; {open} raises it when everything has ended. Later errors
  # are kept, see {#suppressed}.
  class Scope
    # Opens a scope, inside of `Raffia.run` or any other non-blocking fiber. Scopes nest. A block
    # that is left by `break`, `throw`, `return` or an exception cancels its tasks and waits for
    # them.
    #
    # @yieldparam scope [Scope]
    # @return [Object, nil] the block's value; nil when the block was ended by {#cancel}
    # @raise [Exception] the first error of a task or of the block
    # @raise [Error] without a Fiber scheduler
    def self.open(&) = new.supervise(&)

    # @return [Array<Exception>] the errors after the first one, in their order; see also
    #   {Raffia.suppressed}
    attr_reader :suppressed

    # @api private
    def initialize
      @scheduler = Fiber.current_scheduler
      unless @scheduler
        raise Error, "a scope needs a Fiber scheduler: put the code inside of Raffia.run { " \
          "|scope| ... }"
      end

      @lock = SpinLock.new
      @tasks = {}.compare_by_identity
      @suppressed = []
      @deadline = Raffia.deadline
    end

    # Runs the block in a task of this scope. It starts at once; the caller continues when it waits
    # for the first time. In a cancelled scope the task is cancelled before it starts.
    #
    # @return [Task]
    # @raise [Closed] when the scope has ended
    # @raise [Error] in a thread other than the scope's
    def spawn(&block)
      raise ConfigError, "spawn needs a block: the work of the task" unless block
      unless @scheduler.equal?(Fiber.scheduler)
        raise Error, "a scope spawns tasks in its own thread only: hand the work over through a " \
          "channel"
      end

      task = Task.new(self, block)
      cancelled = @lock.hold do
        raise Closed, "the scope has ended: spawn on one that is still open" if @closed

        @tasks[task] = true
        @cancelled
      end
      task.cancel(@reason) if cancelled
      start(task)
    end

    # Cancels all tasks of the scope, those that are spawned from now on, and the block itself if it
    # still runs. The scope then ends without an error. Any thread may call it.
    #
    # @param reason [Object, nil] an exception, a string, a symbol
    # @return [Boolean] whether this call did it; false: it was cancelled before, or has ended
    def cancel(reason = nil)
      tasks = @lock.hold do
        return false if @cancelled || @closed

        @cancelled = true
        @reason = reason
        @tasks.keys
      end
      @cancel_scope&.cancel(reason)
      tasks.each { |task| task.cancel(reason) }
      true
    end

    # @return [Integer] tasks that have not ended
    def size = @tasks.size

    # @return [Boolean] whether {#cancel} or an error has cancelled it
    def cancelled? = !!@cancelled

    # @return [String]
    def inspect
      "#<#{self.class} tasks=#{size}#{" cancelled" if cancelled?}#{" ended" if @closed}>"
    end

    # @api private
    def supervise(&)
      Alarm.of(@scheduler).keep do
        value = run(&)
        drain
        conclude
        value
      end
    end

    # Called by a task that has ended.
    # @api private
    def ended(task)
      failed(task.error) if task.status == :failed
      @lock.hold do
        @tasks.delete(task)
        @idle&.settle if @tasks.empty?
      end
    end

    # Whether the scope itself was opened under this deadline.
    # @api private
    def under?(deadline) = @deadline.equal?(deadline)

    private

    def start(task)
      task.start
      task
    rescue FiberError
      # There was no fiber, so no other code reports the end of this task.
      @lock.hold { @tasks.delete(task) }
      raise
    end

    def run
      value = CancellationStack.enter(self) do |cancel_scope|
        @cancel_scope = cancel_scope
        yield self
      end
      returned = true
      value
    rescue Exception => error # standard:disable Lint/RescueException
      returned = true
      interrupted(error)
      nil
    ensure
      leave unless returned
    end

    # The block was left by a jump. It continues when all have ended, unless one of them failed.
    def leave
      cancel("the scope's block was left")
      drain
      raise_error
    end

    # Waits for the tasks in any case. Once they are cancelled, a cancellation from outside waits
    # too.
    def drain
      while (waiter = idle_waiter)
        begin
          @cancelled ? Raffia.shield { waiter.wait } : waiter.wait
        rescue Exception => error # standard:disable Lint/RescueException
          interrupted(error)
        end
      end
    end

    def idle_waiter
      @lock.hold do
        next @idle = Waiter.new unless @tasks.empty?

        @closed = true
        nil
      end
    end

    # The block, or the wait for the tasks, was interrupted.
    def interrupted(error)
      return failed(error) unless error.is_a?(Cancel)
      return if error.origin.equal?(self)

      @interruption ||= error
      cancel(error.reason)
    end

    def failed(error)
      @lock.hold do
        if @error.nil? then @error = error
        elsif !@error.equal?(error) then @suppressed << error
        end
      end
      cancel(error)
    end

    def conclude
      raise_error
      raise @interruption if @interruption

      CancellationStack.current&.check!
    end

    def raise_error
      return unless @error

      Suppressed.attach(@error, @suppressed)
      raise @error, cause: @error.cause
    end
  end
end
