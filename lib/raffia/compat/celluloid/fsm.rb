# frozen_string_literal: true

module Celluloid
  # A state machine: an object with a state, and code that runs when it enters one. With an actor it
  # can change its state later. It makes no actor of the class; `include Celluloid` does.
  #
  #   class Door
  #     include Celluloid::FSM
  #     default_state :closed
  #     state :closed, to: :open
  #     state(:open, to: :closed) { transition :closed, delay: 5 }
  #   end
  module FSM
    # There is no actor to change the state later.
    class UnattachedError < Error; end

    DEFAULT_STATE = :default

    def self.included(klass) = klass.extend(ClassMethods)

    # The states, which subclasses inherit.
    module ClassMethods
      def default_state(name = nil)
        @default_state = name.to_sym if name
        @default_state ||
          (superclass.respond_to?(:default_state) ? superclass.default_state : DEFAULT_STATE)
      end

      def states = @states ||= superclass.respond_to?(:states) ? superclass.states.dup : {}

      # Declares states, and the code that runs in the object when it enters one. Options: to: the
      # names that may follow, all if it is left out; default: whether machines begin with it.
      def state(*names, **options, &block)
        options = options.transform_keys(&:to_sym)
        names.map(&:to_sym).each do |name|
          default_state(name) if options[:default]
          states[name] = State.new(name, options[:to], &block)
        end
      end
    end

    class State
      attr_reader :name
      attr_reader :transitions

      def initialize(name, transitions = nil, &block)
        @name = name
        @transitions = transitions && Array(transitions).map(&:to_sym)
        @block = block
      end

      def call(machine) = @block && machine.instance_eval(&@block)

      def valid_transition?(name) = @transitions.nil? || @transitions.include?(name.to_sym)
    end

    attr_reader :state
    attr_reader :actor

    # A class that has its own `initialize` calls super.
    def initialize(actor = nil)
      @state = self.class.default_state
      @actor = actor || (Celluloid.current_actor if Celluloid.actor?)
    end

    def attach(actor) = @actor = actor
    alias_method :actor=, :attach

    # Enters another state, and runs its code. A later change that was planned is cancelled. With a
    # delay in seconds it returns a timer; else what the state's code returns, nil where nothing
    # changes. Raises ArgumentError for what is no state, or may not follow.
    def transition(name, delay: nil)
      state = following(name.to_sym) or return
      if delay && !actor
        raise UnattachedError, "#{self.class} has no actor that could wait for #{delay} seconds: " \
          "attach one"
      end

      @coming&.cancel
      @coming = delay && later(delay) { enter(state) }
      delay ? @coming : enter(state)
    end

    # Changes the state without checks and code.
    def transition!(name) = @state = name

    private

    def following(name)
      here = self.class.states[@state]
      return if here&.name == name
      if here && !here.valid_transition?(name)
        raise ArgumentError, "#{self.class} cannot go from #{@state} to #{name}, only to " \
          "#{here.transitions.join(", ")}"
      end

      self.class.states.fetch(name) do
        if name == self.class.default_state
          nil
        else
          raise(ArgumentError, "#{self.class} has no state #{name}")
        end
      end
    end

    def enter(state)
      transition!(state.name)
      state.call(self)
    end

    # An actor need not send itself a message, and in an exclusive method it could not.
    def later(delay, &block)
      if Celluloid.actor? && Celluloid.current_actor.eql?(actor)
        return Celluloid.after(delay, &block)
      end

      actor.after(delay, &block)
    end
  end
end
