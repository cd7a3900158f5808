# frozen_string_literal: true

module Parallel
  # A worker process ended without handing in the result: it was killed, its item called +exit+, or
  # Marshal refuses the result. The message says which; what Raffia knows of it is the cause.
  class DeadWorker < StandardError
  end

  # Raised in a block, it ends the call: no more items are begun.
  class Break < StandardError
    # @return [Object] what the call returns
    attr_reader :value

    def initialize(value = nil)
      super()
      @value = value
    end

    # Crosses to another process without its cause, which may be what Marshal refuses.
    # @api private
    def _dump(_depth) = Marshal.dump(@value)

    # @api private
    def self._load(data) = new(Marshal.load(data)) # standard:disable Security/MarshalLoad
  end

  # The same, and the items that other processes are at are broken off.
  class Kill < Break
  end

  # In place of an exception that Marshal refuses.
  class UndumpableException < StandardError
    # @return [Array<String>] the original's
    attr_reader :backtrace

    # @param original [Exception]
    def initialize(original)
      super("#{original.class}: #{original.message}")
      @backtrace = original.backtrace
    end
  end

  # An exception in a form that can cross to another process.
  class ExceptionWrapper
    # Left by the gem better_errors on exceptions; Marshal refuses it.
    BINDINGS = :@__better_errors_bindings_stack
    private_constant :BINDINGS

    # @return [Exception]
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
