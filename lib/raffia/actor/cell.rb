# frozen_string_literal: true

module Raffia
  class Actor
    # An actor from the inside: its mailbox, the object that does its work, and how that lives,
    # fails and ends. It outlives that object: a restart puts another in its place.
    #
    # Whoever takes its next step, a fiber or thread that works through its mailbox or makes its
    # object, has its hand (`@active`); there is never more than one, and only that one ends the
    # object's life. It begins with the first message and leaves with the last, so an actor without
    # messages has neither fiber nor thread.
    #
    # @api private
    class Cell
      # Messages that are handled before others get their turn.
      TURN = 64

      # @return [Integer]
      attr_reader :id
      # @return [Settings]
      attr_reader :settings
      # @return [Interface]
      attr_reader :interface
      # @return [Host]
      attr_reader :host
      # @return [Symbol] :starting, :running, :restarting, :stopping or :dead
      attr_reader :status
      # @return [Object, nil] what it ended by
      attr_reader :reason
      # @return [Symbol, String, nil]
      attr_reader :name
      # @return [#ended, nil] who decides what becomes of it when it fails
      attr_reader :parent
      # @return [Message, nil] what it works on, or did last
      attr_reader :current

      # All of its variables are set here, in one order, so that all cells have one shape.
      # @param birth [Birth] what the object is made of
      # @param parent [#ended, nil]
      def initialize(birth, settings, host, name: nil, parent: nil)
        @id = RactorLocal.fetch(:raffia_actor_ids) { Ids.new }.next
        @birth = birth
        @settings = settings
        @host = host
        @name = name
        @parent = parent
        @place = Places.find(settings.on, host)
        @interface = Interface.of(birth.actor_class)
        @mailbox = Mailbox.new(settings)
        @guard = SpinLock.new
        @status = :starting
        @active = true
        @handled = @restarts = 0
        @ref = @subject = @region = @inner = @parting = @doom = @reason = @current = nil
        @links = @watchers = @watched = @timers = @joiners = @owed = nil
      end

      # @return [Ref]
      def ref = @ref ||= Ref.new(self)

      # @return [Class]
      def actor_class = @birth.actor_class

      # @return [Boolean]
      def alive? = @status != :dead && @status != :stopping

      # @return [String, nil]
      def class_name = actor_class.name

      # @return [Numeric, nil] seconds
      def call_timeout = @settings.call_timeout

      # @return [Symbol] what is known of it without asking anybody
      def look = @status

      # (see Remote::Distant#above?)
      def above? = false

      # @return [String] for people
      def label = "#{actor_class.name || "Actor"}##{@id}#{" #{@name.inspect}" if @name}"

      # @return [Integer] how many messages wait or are underway
      def backlog
        current = @current # once: whoever works for it may come to rest meanwhile
        @mailbox.size + ((current.nil? || current.over?) ? 0 : 1)
      end

      # @return [Hash]
      def stats
        {status: @status, on: @settings.on, mailbox: @mailbox.size, handled: @handled,
         dropped: @mailbox.dropped, restarts: @restarts}
      end
    end
  end
end

require_relative "cell/ids"
require_relative "cell/birth"
require_relative "cell/doom"
require_relative "cell/asking"
require_relative "cell/waiting"
require_relative "cell/working"
require_relative "cell/reentry"
require_relative "cell/living"
require_relative "cell/ending"
require_relative "cell/falling"
require_relative "cell/bonds"
require_relative "cell/timing"

module Raffia
  class Actor
    class Cell
      include Asking
      include Waiting
      include Working
      include Reentry
      include Living
      include Ending
      include Falling
      include Bonds
      include Timing
    end
  end
end
