# frozen_string_literal: true

module Parallel
  # A worker process ended without a result: it was killed, its item called +exit+, or Marshal
  # cannot dump the result.
  class DeadWorker < StandardError
  end

  # Raised in a block, it ends the call: no further items start.
  class Break < StandardError
    attr_reader :value

    def initialize(value = nil)
      super()
      @value = value
    end

    # Crosses to another process without its cause, which Marshal may be unable to dump.
    # @api private
    def _dump(_depth) = Marshal.dump(@value)

    # @api private
    def self._load(data) = new(Marshal.load(data)) # standard:disable Security/MarshalLoad
  end

  # Like Break, and interrupts the items that run in other processes.
  class Kill < Break
  end

  # Replaces an exception that Marshal cannot dump.
  class UndumpableException < StandardError
    attr_reader :backtrace

    def initialize(original)
      super("#{original.class}: #{original.message}")
      @backtrace = original.backtrace
    end
  end

  # An exception in a form that can cross to another process.
  class ExceptionWrapper
    # The gem better_errors leaves it on exceptions; Marshal cannot dump it.
    BINDINGS = :@__better_errors_bindings_stack
    private_constant :BINDINGS

    attr_reader :exception

    def initialize(exception)
      exception.remove_instance_variable(BINDINGS) if exception.instance_variable_defined?(BINDINGS)
      @exception = if Raffia::Executor::ErrorTransport.crosses?(exception)
        exception
      else
        UndumpableException.new(exception)
      end
    end
  end
end
