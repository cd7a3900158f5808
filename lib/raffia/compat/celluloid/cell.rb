# frozen_string_literal: true

module Celluloid
  # An actor of Raffia's, with Celluloid's manners: while one of its tasks waits it may begin
  # others, but only one runs at a time.
  #
  # @api private
  class Cell < ::Raffia::Actor::Cell
    # What a class can want of a full mailbox; the first is Celluloid's own.
    OVERFLOW = {drop: :drop_newest, raise: :reject, block: :block}.freeze
    private_constant :OVERFLOW

    # @return [Cell] that runs
    def self.spawn(klass)
      system = Celluloid.actor_system
      klass.raffia_cell_class.new(klass, system).tap { |cell| system.add(cell) }.begin_life
    end

    # @return [Mailbox]
    attr_reader :inbox
    # @return [Proxy::Cell]
    attr_reader :proxy
    # @return [Actor::System]
    attr_reader :system
    # @return [Object] whose methods are called
    attr_reader :subject
    # @return [Symbol, nil] under which it was registered
    attr_accessor :name

    alias_method :mailbox, :inbox
    alias_method :behavior_proxy, :proxy
    alias_method :behavior, :itself

    def initialize(klass, system)
      @system = system
      @task_class = klass.raffia_task_class
      super(::Raffia::Actor::Cell::Birth.new(klass, [], {}, nil), settings_of(klass),
        ::Raffia::Actor::Host.background)
      @inbox = klass.mailbox_class.new.attach(self)
      @life = 0
      @begun = {}.compare_by_identity
      @alarms = {}.compare_by_identity
      @signatures = {true => {}, false => {}}
      @exclusive = klass.exclusive_actor
      @exclusive_methods = klass.exclusive_methods
      @blocks_here = klass.execute_block_on_receiver
      @finalizer = klass.finalizer
      @exit_handler = klass.exit_handler_name
      @proxy = klass.proxy_class.new(@inbox,
        Proxy::Actor.new(@inbox, Internals::ThreadHandle.new(self)), klass.to_s)
    end

    # @return [Hash{Task => true}] what has begun, and not ended
    attr_reader :begun

    # @return [Array<Task>] the same
    def tasks = @begun.keys

    # @return [self] ready for `initialize`, its first message
    def begin_life
      @subject = actor_class.allocate
      @subject.instance_variable_set(OWNER_IVAR, self)
      @host.add(self)
      @status = :running
      @active = false
      Probe.actor_created(self)
      self
    end

    # @return [Boolean] whether blocks that come with this call run here
    def runs_block?(name) = @blocks_here&.include?(name.to_sym)

    # @param own [Boolean] whether private methods count, too
    # @return [Internals::Signature]
    # @raise [NameError]
    def signature(name, subject, own)
      @signatures[own][name] ||= begin
        if !own && actor_class.private_method_defined?(name)
          raise NameError.new("it is private", name)
        end

        Internals::Signature.new(subject.method(name))
      end
    end

    # An object in the mailbox, for a task that waits for such a one.
    # @return [void]
    def poke = post { hand_out }

    # Runs the block as a task of its own, in its turn.
    # @return [void]
    def begin_task(type, name = nil, &block) = post { perform_task(type, name, &block) }

    # Runs a block of a caller of this actor's tasks.
    # @param errand [Internals::Errand]
    # @return [void]
    def begin_errand(errand)
      post(errand) { perform_task(:invoke_block) { errand.call } } || errand.fail
    end

    # @return [Internals::Timer]
    def timer(interval, again, block)
      Internals::Timer.new(self, interval, again, block).tap(&:start)
    end

    # @return [Hash{Internals::Timer => true}] that will fire
    def timers = @alarms

    def inspect = "#<Celluloid::Cell #{label} #{status}>"

    private

    def settings_of(klass)
      ::Raffia::Actor::Settings.new(on: (@task_class <= Task::Threaded) ? :threads : :fibers,
        mailbox: klass.mailbox_size,
        when_full: OVERFLOW.fetch(klass.mailbox_overflow), trap_exit: true)
    end
  end
end

require_relative "cell/turns"
require_relative "cell/working"
require_relative "cell/ending"
require_relative "cell/waiting"

module Celluloid
  class Cell
    include Turns
    include Working
    include Ending
    include Waiting
  end
end
