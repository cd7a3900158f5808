# frozen_string_literal: true

require_relative "../raffia"

module Raffia
  # An object with a mailbox that does one thing at a time.
  #
  # Its methods are called through a {Ref}, from any fiber and thread, and run one after the other,
  # in the order of the calls. So its state needs no locks.
  #
  #   class Counter < Raffia::Actor
  #     def initialize(start = 0) = @count = start
  #     def add(number) = @count += number
  #   end
  #
  #   counter = Counter.spawn(10)
  #   counter.add(1)                # => 11; waits for the answer
  #   counter.async.add(1)          # does not wait
  #   counter.future.add(1).value   # => 13; waits later
  #
  # An idle actor is a few objects: no fiber, no thread. An error that its method raises is raised
  # in the caller, and ends the actor ("let it crash"). A {Supervisor} restarts it under the same
  # ref, with the messages that waited.
  class Actor
    class << self
      # The log of errors that reach no caller.
      # @return [#error]
      def log = logs[:log] ||= Log.build(Raffia.config)

      # Sets the log.
      # @param logger [#error]
      def log=(logger)
        logs[:log] = logger
      end

      # Logs an error. A log that fails is ignored: where a thread ends it may not work.
      # @api private
      def log_error(what, error)
        # Formatting costs more than a restart.
        log.error("#{what}: #{Log.full(error)}") unless log.respond_to?(:error?) && !log.error?
      rescue Exception # standard:disable Lint/RescueException
        nil
      end

      private

      def logs = RactorLocal.fetch(:raffia_actor_log) { {} }
    end

    # @!group To override

    # Called when the actor starts, and after each restart. It may call other actors.
    def on_start = nil

    # Called after `on_start` when this object replaces one that has ended.
    # @param reason [Object, nil] why: an error, or :shutdown when a sibling was restarted
    def on_restart(reason) = nil

    # Called when this object ends: stopped, killed, or by an error.
    # @param reason [Object, nil]
    def on_stop(reason) = nil

    # Called when a linked actor has ended, with `trap_exit: true`.
    # @param ref [Ref]
    # @param reason [Object, nil]
    def on_exit(ref, reason) = nil

    # @!endgroup

    private

    # This actor for others: `self` is only for its own methods.
    # @return [Ref]
    def ref = @raffia_core.ref

    # Runs the block here, as a message to this actor, after some time.
    # @param seconds [Numeric]
    # @return [#cancel]
    def after(seconds, &block) = @raffia_core.start_timer(Deadline.seconds(seconds), false, &block)

    # Like {after}, repeatedly. A run is left out while the last one still waits.
    # @param seconds [Numeric]
    # @return [#cancel]
    def every(seconds, &block) = @raffia_core.start_timer(Deadline.seconds(seconds), true, &block)

    # When one of the two ends by anything but :normal, the other ends, too; an actor that traps
    # exits gets `on_exit` instead.
    # @param other [Ref]
    def link(other) = @raffia_core.link(other.raffia_core)

    # Undoes {link}.
    # @param other [Ref]
    def unlink(other) = @raffia_core.unlink(other.raffia_core)

    # Runs the block here, as work of this object, when the other actor has ended.
    # @param other [Ref]
    # @yieldparam ref [Ref]
    # @yieldparam reason [Object, nil]
    # @return [Object] for {demonitor}
    def monitor(other, &block)
      @raffia_core.monitor(other.raffia_core) { |ref, reason| instance_exec(ref, reason, &block) }
    end

    # Undoes {monitor}.
    def demonitor(other, handle) = @raffia_core.demonitor(other.raffia_core, handle)

    # Ends this actor after the messages that wait.
    def stop(reason = :normal) = @raffia_core.stop(reason)

    # Raises an error in the caller only: this actor goes on.
    # @param error [Exception, Class, String]
    def refuse(error)
      error = Error.new(error) if error.is_a?(String)
      error = error.new if error.is_a?(Class)
      raise Message.current.refusal = error
    end

    # Answers the caller later, instead of by what the method returns.
    # @return [Answer] with `settle(value)` and `fail(error)`, for any fiber or thread; if the
    #   object ends before, the caller gets {ActorDied}
    # @example
    #   def next_event = @waiting << answer_later
    #   def publish(event) = @waiting.shift&.settle(event)
    def answer_later = Message.current.postpone

    # Calls a method of this actor, or the block, with the topic and what is published to it. What
    # `on_start` subscribes to stays while a supervisor restarts the actor.
    #
    #   subscribe("orders.*", :on_order)                 # orders.new, not orders.new.paid
    #   subscribe("orders.**") { |topic, order| ... }    # both
    #
    # @param pattern [String, Symbol] a topic; in it `*` matches a word, `**` some words, and `?` a
    #   character
    # @param handler [Symbol, nil] a public method
    # @raise [ConfigError]
    # @raise [NoMethodError]
    def subscribe(pattern, handler = nil, &block)
      unless handler.nil? ^ block.nil?
        raise ConfigError, "subscribe needs a method's name or a block"
      end
      if handler && !respond_to?(handler)
        raise NoMethodError.new("#{self.class} has no public method #{handler}", handler,
          receiver: self)
      end

      @raffia_core.subscribe(pattern, handler || block)
    end

    # Undoes {subscribe}.
    # @param pattern [String, Symbol, nil] nil: all patterns
    def unsubscribe(pattern = nil) = @raffia_core.unsubscribe(pattern)

    def raffia_attach(core) = @raffia_core = core
  end
end

require_relative "actor/actor_died"
require_relative "actor/call_cycle"
require_relative "actor/settings"
require_relative "actor/interface"
require_relative "actor/message"
require_relative "actor/answer"
require_relative "actor/future"
require_relative "actor/mailbox"
require_relative "actor/registry"
require_relative "actor/ref"
require_relative "actor/actor_group"
require_relative "actor/actor_loop"
require_relative "actor/timer_thread_group"
require_relative "actor/background_loop"
require_relative "actor/executors"
require_relative "actor/object_factory"
require_relative "actor/exit_signal"
require_relative "actor/lifecycle"
require_relative "actor/wait_graph"
require_relative "actor/links"
require_relative "actor/timers"
require_relative "actor/execution"
require_relative "actor/nested_execution"
require_relative "actor/termination"
require_relative "actor/actor_core"
require_relative "actor/pool_core"
require_relative "actor/class_methods"
require_relative "actor/supervisor"
require_relative "actor/remote"
require_relative "actor/listener"
require_relative "actor/topics"
require_relative "actor/tree"
require_relative "actor/introspection_socket"
require_relative "actor/actor_system"
