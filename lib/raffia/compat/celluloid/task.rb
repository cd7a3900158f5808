# frozen_string_literal: true

module Celluloid
  # A call, timer or event that an actor has begun.
  class Task
    def self.current
      ::Thread.current[:celluloid_task] || raise(NotTaskError, "not within a task context")
    end

    def self.suspend(status) = current.suspend(status)

    def self.named(name)
      return Fibered if name.nil?

      [Task, Celluloid, ::Object].each do |scope|
        return scope.const_get(name, false) if scope.const_defined?(name, false)
      end
      raise Error, "CELLULOID_TASK_CLASS=#{name} names no class: use Fibered or Threaded"
    end

    # `type`: :call, :timer, :finalizer, :exit_handler or :invoke_block. `status`: :running, :dead,
    # or the wait: :callwait, :sleeping, :receiving, :condwait.
    attr_reader :type, :status, :cell
    attr_reader :root
    attr_accessor :guard_warnings

    def initialize(type, name, cell, root: nil, exclusive: false)
      @type = type
      @name = name
      @cell = cell
      @root = root
      @exclusive = exclusive
      @status = :new
    end

    def meta = {dangerous_suspend: dangerous?, method_name: @name}

    def chain_id = @root&.chain_id

    def run
      here = ::Thread.current
      here[:celluloid_actor] = @cell
      here[:celluloid_mailbox] = @cell.inbox
      here[:celluloid_task] = self
      @cell.begun[self] = true
      @status = :running
      yield
    ensure
      @status = :dead
      @cell.begun.delete(self)
      here[:celluloid_actor] = here[:celluloid_mailbox] = here[:celluloid_task] = nil
    end

    # Gets ready to wait: from here on it can be resumed.
    def arm = @suspension = Internals::Suspension.new(@cell)

    def suspend(status)
      raise "Cannot suspend while in exclusive mode" if exclusive?

      @status = status
      value = (@suspension || arm).wait
      (Interruption === value) ? raise(value) : value # a proxy would pass is_a? on
    ensure
      @suspension = nil
      @status = :running
    end

    # An actor that waits in `initialize` or in its finalizer is visible to others in that state.
    def warn_of_suspension(status)
      return unless dangerous? && Celluloid.debug?

      text = describe(status)
      Internals::Logger.with_backtrace(caller(3, 6)) do |logger|
        logger.warn("Dangerously suspending task: #{text}")
      end
    end

    def resume(value = nil)
      @suspension&.settle(value)
      nil
    end

    def timeout(duration)
      trace = caller
      timer = @cell.group.after(duration) do
        resume(TaskTimeout.new("execution expired").tap { |error| error.set_backtrace(trace) }) &&
          nil
      end
      yield
    ensure
      timer&.cancel
    end

    # No other task of the actor runs while the block waits.
    def exclusive
      return yield if @exclusive

      begin
        @exclusive = true
        yield
      ensure
        @exclusive = false
      end
    end

    def exclusive? = @exclusive

    def running? = @status != :dead

    def terminate
      raise DeadTaskError, "task is already dead" unless running?

      break_off
    end

    def break_off
      log_termination if Celluloid.debug?
      @suspension&.break_off(TaskTerminated.new("task was terminated"))
    end

    def backtrace = []

    def inspect
      "#<#{self.class}:0x#{object_id.to_s(16)} @type=#{type.inspect}, @meta=#{meta.inspect}, " \
        "@status=#{status.inspect}>"
    end

    # In the fibers of Raffia's loop.
    class Fibered < Task
      class StackError < Error; end
    end

    # In threads: for actors that block where no fiber can let go of its thread.
    class Threaded < Task; end

    private

    def dangerous? = @name == :initialize || @type == :finalizer

    def log_termination
      Internals::Logger.with_backtrace(backtrace) do |logger|
        logger.public_send(dangerous? ? :warn : :debug, "Terminating task: #{describe}")
      end
    end

    def describe(status = @status)
      "type=#{type.inspect}, meta=#{meta.inspect}, status=#{status.inspect}"
    end
  end
end
