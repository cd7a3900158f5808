# frozen_string_literal: true

require_relative "error"
require_relative "ractor_local"

module Raffia
  # Signal handlers for the time of a block. No handler outlives the code that needs it.
  module Signals
    # Handles signals while the block runs, then puts back what was there before.
    #
    #   stop = Thread::Queue.new
    #   Signals.with(INT: ->(number) { stop.push(number) }) { serve_until(stop) }
    #
    # A handler runs in the main thread between any two instructions, where no Mutex may be locked:
    # let it push to a Thread::Queue, write to a pipe or set a variable. A handler that another part
    # of the program had installed is called after ours (not the default action, which would end the
    # process), so nobody is cut off. Uses nest; two threads should not handle the same signal at
    # once, since signals belong to the whole process.
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

    # Has the block called when the process ends in order, by its last line, `exit`, an error or
    # Ctrl-C: what runs in other threads would be killed after that. A forked child inherits it.
    #
    # @param key [Symbol] of the block: the first that comes with it counts
    # @return [void]
    def self.before_exit(key)
      RactorLocal.fetch(key) { at_exit { yield } && true }
      nil
    end

    # @return [Boolean] whether the process was started with a signal ignored, as nohup does it, or
    #   ignores it since
    def self.ignored?(name)
      earlier = ::Signal.trap(name, "IGNORE")
      ::Signal.trap(name, earlier || "DEFAULT")
      earlier == "IGNORE"
    end

    # Calls the block when the process ends, before what was registered earlier, as Ruby's own does:
    # for layers that take the place of gems that do so. What is ours ends with what it belongs to.
    # @return [void]
    def self.at_exit(&)
      ::Kernel.at_exit(&)
      nil
    end

    KEY = :raffia_shared_handlers
    # What these do when nobody handles them; a handler that is only to add something leaves it to
    # that.
    ENDING = %w[HUP INT QUIT TERM].freeze
    SharedHandler = Struct.new(:holders, :handler, :earlier)
    # Where libraries have procs that their C code keeps for good. Others would be taken for
    # handlers.
    NO_HANDLERS = %w[/json/ext.rb].freeze
    private_constant :KEY, :ENDING, :SharedHandler, :NO_HANDLERS

    # Handles a signal while the block runs, for something that several threads may want at the same
    # time: the first of them installs its handler, the last one removes it, unless the program has
    # set another one meanwhile. What the signal would have done without it comes afterwards: an
    # earlier handler is called, and HUP, INT, QUIT and TERM end the process as ever.
    #
    # @param name [Symbol, String] without SIG
    # @param handler [#call] as {with} takes it; in a forked child it is not called
    # @return [Object] the block's value
    # @raise [ConfigError] as {with}; and in another Ractor than the main one, to which signals
    #   belong
    def self.share(name, handler)
      unless RactorLocal.main?
        raise ConfigError, "SIG#{name} cannot be handled here: signals belong to the main Ractor"
      end

      hold(name.to_sym, handler)
      begin
        yield
      ensure
        let_go(name.to_sym)
      end
    end

    # Whether the program handles a signal by code of its own, which may then wake what sleeps. Ruby
    # keeps the handlers to itself, but shows what it keeps from the garbage collector; handlers
    # that are text are not seen.
    #
    # @return [Boolean] true also where there is no telling
    def self.handled?
      return false unless RactorLocal.main?

      require "objspace"
      ours, earlier = shared { |all| [all.values.map(&:handler), all.values.map(&:earlier)] }
      earlier.any? { |handler| handler.respond_to?(:call) } ||
        kept_procs.any? { |root|
          ours.none? { |handler| handler.equal?(root) } &&
            !root.source_location&.first.to_s.end_with?(*NO_HANDLERS)
        }
    rescue LoadError, NoMethodError
      true
    end

    def self.kept_procs
      # its keys are compared by identity
      roots = ::ObjectSpace.reachable_objects_from_root.select { |kind,| kind == "vm" }
      roots.each_value.flat_map { |objects| objects.grep(::Proc) }
    end
    private_class_method :kept_procs

    # @yieldparam all [Hash{Symbol => SharedHandler}]
    def self.shared
      lock, all = RactorLocal.fetch(KEY) { [::Thread::Mutex.new, {}] }
      lock.synchronize { yield all }
    end
    private_class_method :shared
    shared { nil } # in the main Ractor now, before threads could race for it

    def self.hold(name, handler)
      shared do |all|
        all[name] ||= adopt(name, SharedHandler.new(0), handler, ::Process.pid)
        all[name].holders += 1
      end
    end
    private_class_method :hold

    def self.adopt(name, shared, handler, owner)
      shared.handler = proc do |number|
        handler.call(number) if ::Process.pid == owner
        go_on(shared.earlier, number)
      end
      shared.earlier = install(name, shared.handler, false)
      shared
    end
    private_class_method :adopt

    def self.go_on(earlier, number)
      return earlier.call(number) if earlier.respond_to?(:call)
      return unless earlier == "DEFAULT" && ENDING.include?(::Signal.signame(number))

      raise (number == ::Signal.list["INT"]) ? ::Interrupt : ::SignalException.new(number)
    end
    private_class_method :go_on

    def self.let_go(name)
      shared do |all|
        one = all[name]
        next unless (one.holders -= 1).zero?

        all.delete(name)
        current = ::Signal.trap(name, one.earlier || "DEFAULT")
        ::Signal.trap(name, current || "DEFAULT") unless current.equal?(one.handler)
      end
    end
    private_class_method :let_go

    def self.install(name, handler, chain)
      return ::Signal.trap(name, handler) unless chain && handler.respond_to?(:call)

      earlier = nil
      earlier = ::Signal.trap(name) do |number|
        handler.call(number)
        earlier.call(number) if earlier.respond_to?(:call)
      end
    rescue ArgumentError, SystemCallError => error
      raise ConfigError,
        "SIG#{name} cannot be handled (#{error.message}): Signal.list names the signals, and the " \
        "system keeps " \
        "a few of them, such as KILL, for itself"
    end
    private_class_method :install
  end
end
