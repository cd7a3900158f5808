# frozen_string_literal: true

module Celluloid
  # A state machine: an object with a state, and with code that runs when it gets into one. With an
  # actor to keep the time it can also do so later. It makes no actor of the class; that is what
  # `include Celluloid` is for.
  #
  #   class Door
  #     include Celluloid::FSM
  #     default_state :closed
  #     state :closed, to: :open
  #     state(:open, to: :closed) { transition :closed, delay: 5 }
  #   end
  module FSM
    # A change was to come later, and there is no actor to wait for that.
    class UnattachedError < Error; end

    # The state of what has not said another.
    DEFAULT_STATE = :default

    def self.included(klass) = klass.extend(ClassMethods)

    # Class methods: the states, which subclasses inherit.
    module ClassMethods
      # +name+: to set it.
      # That each begins with.
      def default_state(name = nil)
        @default_state = name.to_sym if name
        @default_state ||
          (superclass.respond_to?(:default_state) ? superclass.default_state : DEFAULT_STATE)
      end

      def states = @states ||= superclass.respond_to?(:states) ? superclass.states.dup : {}

      # Says which states there are, and what is run, in the object, at their beginning.
      # +options+: to: the names of those that may follow, all if it is left out; default: whether
      # each begins with it.
      def state(*names, **options, &block)
        options = options.transform_keys(&:to_sym)
        names.map(&:to_sym).each do |name|
          default_state(name) if options[:default]
          states[name] = State.new(name, options[:to], &block)
        end
      end
    end

    # One state.
    class State
      attr_reader :name
      # What may follow; nil: all.
      attr_reader :transitions

      def initialize(name, transitions = nil, &block)
        @name = name
        @transitions = transitions && Array(transitions).map(&:to_sym)
        @block = block
      end

      # Runs its code.
      def call(machine) = @block && machine.instance_eval(&@block)

      def valid_transition?(name) = @transitions.nil? || @transitions.include?(name.to_sym)
    end

    attr_reader :state
    # Who keeps the time.
    attr_reader :actor

    # A class that has its own `initialize` calls super.
    # +actor+: the running one, if none is given.
    def initialize(actor = nil)
      @state = self.class.default_state
      @actor = actor || (Celluloid.current_actor if Celluloid.actor?)
    end

    # +actor+: who is to keep the time.
    def attach(actor) = @actor = actor
    alias_method :actor=, :attach

    # Gets into another state, and runs its code. A change that was to come later does not come any
    # more.
    # +delay+: seconds until then.
    # The timer of a change that is to come; else what the state's code returns, nil where nothing
    # changes.
    # Raises ArgumentError for what is no state, or may not follow.
    # Raises UnattachedError.
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

    # The state is another from now on: nothing is checked, and nothing runs.
    def transition!(name) = @state = name

    private

    # Nil: there is nothing to do.
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
