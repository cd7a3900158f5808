# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # Work in a fiber of its own, spawned by {Scope#spawn}.
  #
  # `status` is one of
  #
  # * `:pending`   it has not started
  # * `:running`   it has started; it computes or waits
  # * `:done`      it returned a value, also when it was cancelled meanwhile: `cancel` is a request
  # * `:failed`    it raised an exception
  # * `:cancelled` it was cancelled and ended by that, or before it started
  class Task
    # @return [Task, nil] of the running code
    def self.current
      root = CancellationStack.current&.root
      root if root.is_a?(Task)
    end

    # @return [Symbol]
    attr_reader :status
    # @return [Exception, nil] the failure
    attr_reader :error
    # @return [Scope]
    attr_reader :scope

    # @api private
    def initialize(scope, block)
      @scope = scope
      @block = block
      @lock = SpinLock.new
      @status = :pending
      @joiners = nil # most have none
    end

    # Waits for the task and returns its block's value. Any fiber or thread may call it, repeatedly.
    # @return [Object]
    # @raise [Exception] the one that the task failed with
    # @raise [Cancelled] when the task was cancelled
    def value
      join
      case @status
      when :failed then raise @error, cause: @error.cause
      when :cancelled then raise Cancelled.new(reason: @reason)
      else @value
      end
    end

    # Waits for the task, however it ends.
    # @param timeout [Numeric, nil] seconds to wait at most
    # @return [Task, nil] self, or nil when the task has not ended in time
    def join(timeout = nil)
      raise Error, "a task cannot wait for itself" if Task.current.equal?(self)

      Deadline.seconds(timeout) if timeout
      waiter = @lock.hold { await_end if alive? } or return self
      begin
        self unless waiter.wait(timeout) == Waiter::TIMED_OUT
      ensure
        @lock.hold { @joiners&.delete(waiter) }
      end
    end

    # Asks the task to stop: {Cancel} is raised where it waits, and again at each further wait of
    # Raffia's (a channel, a join ...) that is not inside of {Raffia.shield}. A task that has not
    # started never will. Any thread may call it.
    #
    # @param reason [Object, nil] an exception, a string, a symbol; the task finds it in
    #   Cancel#reason
    # @return [Boolean] whether this call asked; false: it was asked before, or has ended
    def cancel(reason = nil)
      cancel_scope = @lock.hold do
        return false unless alive?
        next @cancel_scope if @cancel_scope
        return false if @requested

        @reason = reason
        @requested = true
      end
      cancel_scope == true || cancel_scope.cancel(reason)
    end

    # The waiters for its end.
    # @api private
    def joiners = [*@joiners]

    # @return [Boolean] whether it has not ended
    def alive? = @status == :pending || @status == :running

    # @return [String]
    def inspect = "#<#{self.class} #{status}>"

    # Starts the fiber. It runs at once, up to its first wait, as Fiber.schedule has it.
    # @api private
    def start
      return conclude(:cancelled, @reason) if @requested

      scheduler = Fiber.scheduler
      # A scheduler may use the fiber of `launch` again.
      scheduler.respond_to?(:launch) ? scheduler.launch { run } : Fiber.schedule { run }
    end

    private

    def run
      outcome = nil
      CancellationStack.enter(self) do |cancel_scope|
        outcome = begun(cancel_scope) ? perform : [:cancelled, @reason]
      end
    rescue Cancel => cancel
      # The block had ended: this came while the task was being left, and is late.
      outcome ||= [:cancelled, cancel.reason]
    rescue Exception => error # standard:disable Lint/RescueException
      outcome = [:failed, error]
    ensure
      conclude(*(outcome || [:cancelled, "its thread was killed"]))
    end

    # Under the lock, because others may join meanwhile.
    def await_end = Waiter.new.tap { |waiter| (@joiners ||= []) << waiter }

    def begun(cancel_scope)
      @lock.hold do
        next false if @requested

        @status = :running
        @cancel_scope = cancel_scope
      end
    end

    def perform
      deadline = Raffia.deadline
      [:done, deadline ? deadline.impose(&@block) : @block.call]
    rescue Cancel => cancel
      # A deadline that was inherited: where the scope is under it too, the scope's owner reports
      # it.
      missed = deadline && cancel.origin.equal?(deadline) && !@scope.under?(deadline)
      missed ? [:failed, deadline.error_at(cancel)] : [:cancelled, cancel.reason]
    rescue Exception => error # standard:disable Lint/RescueException
      [:failed, error]
    end

    def conclude(status, result)
      joiners = @lock.hold do
        case status
        when :done then @value = result
        when :failed then @error = result
        else @reason = result
        end
        @status = status
        @block = @cancel_scope = nil
        @joiners.tap { @joiners = nil }
      end
      # Joiners get an error from the task itself, before the scope cancels the others.
      joiners&.each(&:settle)
      @scope.ended(self)
    end
  end
end
