# frozen_string_literal: true

module Celluloid
  # Core of a Celluloid actor: while one of its tasks waits it may begin others.
  #
  # @api private
  class Cell < ::Raffia::Actor::ActorCore
    include Internals::Shutdown

    # Celluloid's policies for a full mailbox; the first is its default.
    OVERFLOW = {drop: :drop_newest, raise: :reject, block: :block}.freeze
    private_constant :OVERFLOW

    def self.spawn(klass)
      system = Celluloid.actor_system
      klass.raffia_cell_class.new(klass, system).tap { |cell| system.add(cell) }.open
    end

    attr_reader :inbox, :proxy, :system, :signals
    # Tasks that have begun, and not ended.
    attr_reader :begun
    attr_accessor :name

    alias_method :mailbox, :inbox
    alias_method :behavior_proxy, :proxy
    alias_method :behavior, :itself

    def initialize(klass, system)
      @system = system
      @task_class = klass.raffia_task_class
      super(::Raffia::Actor::ObjectFactory.new(klass, [], {}, nil), settings_of(klass),
        ::Raffia::Actor::BackgroundLoop.current.group)
      @inbox = klass.mailbox_class.new.attach(self)
      @signals = Internals::Signals.new(self)
      @begun = {}.compare_by_identity
      @pending_timers = {}.compare_by_identity
      @signatures = {true => {}, false => {}}
      @exclusive = klass.exclusive_actor
      @exclusive_methods = klass.exclusive_methods
      @blocks_here = klass.execute_block_on_receiver
      @finalizer = klass.finalizer
      @exit_handler = klass.exit_handler_name
      @proxy = klass.proxy_class.new(@inbox,
        Proxy::Actor.new(@inbox, Internals::ThreadHandle.new(self)), klass.to_s)
    end

    # Makes the object. Its `initialize` is the first message.
    def open
      object = actor_class.allocate
      object.instance_variable_set(OWNER_IVAR, self)
      @execution.object = object
      @group.add(self)
      @lock.hold { @lifecycle.started(false) }
      Probe.actor_created(self)
      self
    end

    # Calls and other work; not {#inbox}.
    def queue = @mailbox

    def subject = @execution.object

    def tasks = @begun.keys

    def timers = @pending_timers

    def new_task(type, name, root: nil)
      exclusive = @exclusive || !!(name && @exclusive_methods&.include?(name.to_sym))
      @task_class.new(type, name, self, root: root, exclusive: exclusive)
    end

    # Whether blocks that come with this call run here, not in the caller.
    def runs_block?(name) = @blocks_here&.include?(name.to_sym)

    def signature(name, subject, own)
      @signatures[own][name] ||= begin
        if !own && actor_class.private_method_defined?(name)
          raise NameError.new("it is private", name)
        end

        Internals::Signature.new(subject.method(name))
      end
    end

    def deliver(call, now)
      case rest = put(call, now)
      when ::Raffia::Actor::Message then drop(rest)
      when ::Raffia::Waiter then wait_for_room(call, rest)
      end
    end

    # Runs the block after the messages that wait, for which there is always room. False when the
    # actor is dead.
    def post(reply = nil, &block)
      insert { alive? && (@mailbox.append(order(block, reply)) || true) }
    end

    # Runs the block before the messages that wait.
    def urge(&block)
      insert { !dead? && @mailbox.urge(order(block)) }
    end

    # The block adds work, also while the actor is ending, and returns whether it did; so does this.
    def insert
      idle = @lock.hold do
        return false unless yield

        @lifecycle.acquire
      end
      wake if idle
      true
    end

    def object_arrived = post { @signals.dispatch_message }

    def begin_task(type, name = nil, &block)
      post { @execution.perform_task(type, name, &block) }
    end

    # Runs a block that one of this actor's tasks has sent along with a call.
    def begin_block(run)
      post(run) { @execution.perform_task(:invoke_block) { run.call } } || run.fail
    end

    def timer(interval, again, block)
      Internals::Timer.new(self, interval, again, block).tap(&:start)
    end

    def inspect = "#<Celluloid::Cell #{label} #{status}>"

    private

    def build_execution = TaskExecution.new(self)

    def order(block, reply = nil) = TaskExecution::Order.new(self, block, reply)

    def settings_of(klass)
      ::Raffia::Actor::Settings.new(on: (@task_class <= Task::Threaded) ? :threads : :fibers,
        mailbox: klass.mailbox_size, when_full: OVERFLOW.fetch(klass.mailbox_overflow),
        trap_exit: true)
    end
  end
end
