# frozen_string_literal: true

require_relative "error"

module Raffia
  # Signal handlers for the time of a block. No handler outlives the code that needs it.
  module Signals
    # Handles signals while the block runs, then puts back what was there before.
    #
    #   stop = Thread::Queue.new
    #   Signals.with(INT: ->(number) { stop.push(number) }) { serve_until(stop) }
    #
    # A handler runs in the main thread between any two instructions, where no Mutex may be locked: let it push to a
    # Thread::Queue, write to a pipe or set a variable. A handler that another part of the program had installed is called after
    # ours (not the default action, which would end the process), so nobody is cut off. Uses nest; two threads should not handle
    # the same signal at once, since signals belong to the whole process.
    #
    # @param chain [Boolean] false: the earlier handler is not called
    # @param handlers [Hash{Symbol => #call, String}] by name without SIG; a callable gets the signal's number, a string is one of
    #   Signal.trap's commands, such as "IGNORE"
    # @return [Object] the block's value
    # @raise [ConfigError] for a signal that this system does not know or that cannot be handled
    def self.with(chain: true, **handlers)
      previous = []
      handlers.each { |name, handler| previous.unshift([name, install(name, handler, chain)]) }
      yield
    ensure
      # nil: a handler that Ruby did not install and cannot name.
      previous.each { |name, handler| ::Signal.trap(name, handler || "DEFAULT") }
    end

    def self.install(name, handler, chain)
      return ::Signal.trap(name, handler) unless chain && handler.respond_to?(:call)

      earlier = nil
      earlier = ::Signal.trap(name) do |number|
        handler.call(number)
        earlier.call(number) if earlier.respond_to?(:call)
      end
    rescue ArgumentError, SystemCallError => error
      raise ConfigError, "SIG#{name} cannot be handled (#{error.message}): Signal.list names the signals, and the system keeps " \
        "a few of them, such as KILL, for itself"
    end
    private_class_method :install
  end
end
