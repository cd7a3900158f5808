# frozen_string_literal: true

require "forwardable"
require_relative "../config"

module Celluloid
  # All that actors can do can be done by these names, too.
  extend self

  class << self
    extend Forwardable

    def_delegators :state, :logger, :logger=, :log_actor_crashes, :log_actor_crashes=,
      :group_class=, :shutdown_timeout, :shutdown_timeout=, :call_timeout, :call_timeout=,
      :task_class=, :register_shutdown
    def_delegators :actor_system, :[], :[]=, :public_registry

    def task_class
      state.task_class ||= Task.named(::Raffia::Compat::Config.load.celluloid_task_class)
    end

    def group_class = state.group_class ||= Group::Spawner

    def debug? = !!($CELLULOID_DEBUG || state.debug)

    # The system of the running actor or block, else the process's.
    def actor_system
      ::Thread.current[:celluloid_task]&.cell&.system ||
        ::Thread.current[:celluloid_actor_system] || state.system!
    end

    def actor_system=(system)
      state.system = system
    end

    def included(klass)
      klass.extend(ClassMethods)
      klass.include(InstanceMethods)
      klass.extend(Internals::Properties)
      Internals::Properties.define(klass)
    end

    def actor? = !!::Thread.current[:celluloid_actor]

    def mailbox = ::Thread.current[:celluloid_mailbox] ||= Mailbox.new

    def uuid = Internals::UUID.generate

    def cores = Internals::CPUCounter.cores
    alias_method :cpus, :cores
    alias_method :ncpus, :cores

    def version = VERSION

    def stack_dump(output = $stderr) = actor_system.stack_dump.print(output)
    alias_method :dump, :stack_dump

    def stack_summary(output = $stderr) = actor_system.stack_summary.print(output)
    alias_method :summarize, :stack_summary

    # Whether the running call came back to this actor through others; nil outside of an actor.
    def detect_recursion
      task = ::Thread.current[:celluloid_task] or return
      root = task.root or return false
      task.cell.tasks.any? { |other| !other.equal?(task) && other.root.equal?(root) }
    end

    def exception_handler(&) = Internals::Logger.exception_handler(&)

    # Waits; the actor continues with other messages meanwhile, if it may. +waiter+ has `wait` and
    # `before_suspend`.
    def suspend(status, waiter)
      task = ::Thread.current[:celluloid_task]
      task&.warn_of_suspension(status)
      return waiter.wait if task.nil? || task.exclusive?

      task.arm
      waiter.before_suspend(task) if waiter.respond_to?(:before_suspend)
      begin
        task.suspend(status)
      ensure
        waiter.after_suspend(task) if waiter.respond_to?(:after_suspend)
      end
    end

    def boot
      init
      start
    end

    def init = state.system ||= Actor::System.new

    def start = actor_system.start

    def running? = !!state.system&.running?

    def shutdown
      actor_system.shutdown
    ensure
      state.system = nil
    end

    def state = Internals::State.current
  end
end
