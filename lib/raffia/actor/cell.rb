# frozen_string_literal: true

module Raffia
  class Actor
    # An actor from the inside: its mailbox, the object that does its work, and how that lives, fails and ends. It outlives that object: a
    # restart puts another in its place.
    #
    # It is active while a fiber or thread works through its mailbox; that begins with the first message and ends with the last, so an actor
    # without messages has neither.
    #
    # @api private
    class Cell
      # Messages that are handled before others get their turn.
      TURN = 64

      # @return [Integer]
      attr_reader :id
      # @return [Class]
      attr_reader :actor_class
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

      # @param birth [Birth] what the object is made of
      # @param parent [#ended, nil]
      def initialize(birth, settings, host, name: nil, parent: nil)
        @id = Local.fetch(:raffia_actor_ids) { Ids.new }.next
        @birth = birth
        @actor_class = birth.actor_class
        @settings = settings
        @host = host
        @name = name
        @parent = parent
        @place = Places.find(settings.on, host)
        @interface = Interface.of(@actor_class)
        @mailbox = Mailbox.new(settings.mailbox, settings.when_full)
        @guard = Guard.new
        @status = :starting
        @active = @taken = false
        @handled = @restarts = @life = 0
      end

      # @return [Ref]
      def ref = @ref ||= Ref.new(self)

      # @return [Boolean]
      def alive? = @status != :dead && @status != :stopping

      # @return [String] for people
      def label = "#{@actor_class.name || "Actor"}##{@id}#{" #{@name.inspect}" if @name}"

      # @return [Integer] how many messages wait or are underway
      def backlog = @mailbox.size + ((@active && @taken) ? 1 : 0)

      # @return [Hash]
      def stats
        {status: @status, on: @settings.on, mailbox: @mailbox.size, handled: @handled, dropped: @mailbox.dropped, restarts: @restarts}
      end
    end
  end
end

require_relative "cell/ids"
require_relative "cell/birth"
require_relative "cell/asking"
require_relative "cell/working"
require_relative "cell/living"
require_relative "cell/bonds"

module Raffia
  class Actor
    class Cell
      include Asking
      include Working
      include Living
      include Bonds
    end
  end
end
