# frozen_string_literal: true

require_relative "error"
require_relative "ractor_local"

module Raffia
  # Signal handlers for the time of a block. No handler outlives the code that needs it.
  module Signals
    # Handles signals while the block runs, then restores the earlier handlers.
    #
    #   stop = Thread::Queue.new
    #   Signals.with(INT: ->(number) { stop.push(number) }) { serve_until(stop) }
    #
    # A handler runs in the main thread between any two instructions, where no Mutex may be locked:
    # let it push to a Thread::Queue, write to a pipe or set a variable. A handler that another part
    # of the program had installed is called after ours (but not the default action, which would end
    # the process). Uses nest; two threads should not handle the same signal at once.
    #
    # @param chain [Boolean] false: the earlier handler is not called
    # @param handlers [Hash{Symbol => #call, String}] by name without SIG; a callable gets the
    #   signal's number, a string is one of Signal.trap's commands, such as "IGNORE"
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

    # Calls the block when the process ends in order: by its last line, `exit`, an error or Ctrl-C.
    # Other threads still run then. A forked child inherits it.
    # @param key [Symbol] only the first block of a key counts
    # @return [void]
    def self.before_exit(key)
      RactorLocal.fetch(key) { at_exit { yield } && true }
      nil
    end

    # @return [Boolean] whether the process ignores a signal, as after nohup
    def self.ignored?(name)
      earlier = ::Signal.trap(name, "IGNORE")
      ::Signal.trap(name, earlier || "DEFAULT")
      earlier == "IGNORE"
    end

    # Kernel#at_exit, for layers that replace gems which use it.
    # @return [void]
    def self.at_exit(&)
      ::Kernel.at_exit(&)
      nil
    end

    KEY = :raffia_shared_handlers
    # Signals whose default action ends the process.
    ENDING = %w[HUP INT QUIT TERM].freeze
    SharedHandler = Struct.new(:holders, :handler, :earlier)
    # Libraries whose C code keeps procs for good: these are no signal handlers.
    NO_HANDLERS = %w[/json/ext.rb].freeze
    private_constant :KEY, :ENDING, :SharedHandler, :NO_HANDLERS

    # Handles a signal while the block runs, for threads that may want the same signal at the same
    # time. The first one installs its handler, the last one removes it, unless the program has
    # replaced it meanwhile. The signal's earlier effect follows: an earlier handler is called, and
    # HUP, INT, QUIT and TERM end the process.
    #
    # @param name [Symbol, String] without SIG
    # @param handler [#call] as {with} takes it; in a forked child it is not called
    # @return [Object] the block's value
    # @raise [ConfigError] as {with}, and outside of the main Ractor, to which signals belong
    def self.share(name, handler)
      unless RactorLocal.main?
        raise ConfigError, "SIG#{name} cannot be handled here: signals belong to the main Ractor"
      end

      hold(name.to_sym, handler)
      begin
        yield
      ensure
        release(name.to_sym)
      end
    end

    # Whether the program handles a signal by code of its own, which may then wake a fiber. Ruby
    # hides the handlers, but shows the roots of its garbage collector; handlers that are strings
    # are not seen.
    # @return [Boolean] true also where there is no telling
    def self.handled?
      return false unless RactorLocal.main?

      require "objspace"
      ours, earlier = shared { |all| [all.values.map(&:handler), all.values.map(&:earlier)] }
      earlier.any? { |handler| handler.respond_to?(:call) } ||
        root_procs.any? { |root|
          ours.none? { |handler| handler.equal?(root) } &&
            !root.source_location&.first.to_s.end_with?(*NO_HANDLERS)
        }
    rescue LoadError, NoMethodError
      true
    end

    class << self
      private

      # The keys of the Hash are compared by identity, so it cannot be asked for "vm".
      def root_procs
        roots = ::ObjectSpace.reachable_objects_from_root.select { |kind,| kind == "vm" }
        roots.each_value.flat_map { |objects| objects.grep(::Proc) }
      end

      def shared
        lock, all = RactorLocal.fetch(KEY) { [::Thread::Mutex.new, {}] }
        lock.synchronize { yield all }
      end

      def hold(name, handler)
        shared do |all|
          all[name] ||= adopt(name, SharedHandler.new(0), handler, ::Process.pid)
          all[name].holders += 1
        end
      end

      def adopt(name, shared, handler, owner)
        shared.handler = proc do |number|
          handler.call(number) if ::Process.pid == owner
          continue(shared.earlier, number)
        end
        shared.earlier = install(name, shared.handler, false)
        shared
      end

      def continue(earlier, number)
        return earlier.call(number) if earlier.respond_to?(:call)
        return unless earlier == "DEFAULT" && ENDING.include?(::Signal.signame(number))

        raise (number == ::Signal.list["INT"]) ? ::Interrupt : ::SignalException.new(number)
      end

      def release(name)
        shared do |all|
          one = all[name]
          next unless (one.holders -= 1).zero?

          all.delete(name)
          current = ::Signal.trap(name, one.earlier || "DEFAULT")
          ::Signal.trap(name, current || "DEFAULT") unless current.equal?(one.handler)
        end
      end

      def install(name, handler, chain)
        return ::Signal.trap(name, handler) unless chain && handler.respond_to?(:call)

        earlier = nil
        earlier = ::Signal.trap(name) do |number|
          handler.call(number)
          earlier.call(number) if earlier.respond_to?(:call)
        end
      rescue ArgumentError, SystemCallError => error
        raise ConfigError,
          "SIG#{name} cannot be handled (#{error.message}): Signal.list names the signals, and " \
          "the system keeps a few of them, such as KILL, for itself"
      end
    end

    shared { nil } # in the main Ractor now, before threads could race for it
  end
end
