# frozen_string_literal: true

require_relative "message/awaiting"

module Raffia
  class Actor
    # One that waits in a mailbox: a method to call, and who wants to know what it returned.
    #
    # @api private
    class Message
      include Awaiting

      KEY = :raffia_message
      private_constant :KEY

      # @return [Symbol]
      attr_reader :name
      # @return [Array]
      attr_reader :arguments
      # @return [Hash, nil]
      attr_reader :keywords
      # @return [Proc, nil]
      attr_reader :block
      # @return [#settle, #fail, nil] a {Waiter} or a {Future}; nil: nobody waits
      attr_reader :reply
      # @return [Deadline, nil] after which nobody wants it any more
      attr_reader :deadline
      # @return [Message, nil] the one in which this was sent, if its actor waits meanwhile
      attr_reader :parent
      # @return [Cell] whom it goes to
      attr_reader :cell

      def initialize(cell, name, arguments, keywords, block, reply, deadline, parent)
        @cell = cell
        @name = name
        @arguments = arguments
        @keywords = keywords
        @block = block
        @reply = reply
        @deadline = deadline
        @parent = parent
      end

      # @return [Message, nil] the one that the running code works on
      def self.current = Fiber[KEY]

      # Forgets what was inherited from the fiber that started this one.
      # @return [void]
      def self.none = Fiber[KEY] = nil

      # Runs the block as work on this.
      # @return [Object] the block's value
      def begin
        outer = Fiber[KEY]
        Fiber[KEY] = self
        @underway = true
        yield
      ensure
        @underway = false
        Fiber[KEY] = outer
      end

      # @return [Boolean] whether it is being worked on
      def underway? = !!@underway

      # @return [Boolean] whether it has been worked on
      def over? = @underway == false

      # Its method will not answer by returning.
      # @return [Answer]
      def postpone
        @postponed = true
        @cell.owe(Answer.new(@cell, @reply))
      end

      def postponed? = !!@postponed

      # Another actor is to do it, and to answer.
      # @return [Message] for that one
      def hand_on(cell)
        @postponed = true
        Message.new(cell, @name, @arguments, @keywords, @block, @reply, @deadline, @parent)
          .tap do |message|
          @parent.expect(message) if @parent && !unwanted?
          @reply.message = message if @reply.respond_to?(:message=)
        end
      end

      # @return [Exception, nil] what the method raises for its caller only
      attr_accessor :refusal

      # @return [Boolean] whether it stays in a full mailbox
      def kept? = false

      # @return [Boolean] whether nobody waits for it any more: it is answered, or whoever asked has
      #   gone
      def unwanted? = !@reply.nil? && @reply.settled?

      # @return [Object] what the method returns
      def invoke(subject)
        return subject.public_send(@name, *@arguments, &@block) unless @keywords

        subject.public_send(@name, *@arguments, **@keywords, &@block)
      end

      # @return [String]
      def inspect = "#{@cell.label}##{@name}"
    end
  end
end

require_relative "message/answer"
require_relative "message/event"
require_relative "message/farewell"
require_relative "message/room"
require_relative "message/tick"
