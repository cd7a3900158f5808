# frozen_string_literal: true

module Raffia
  class Actor
    # One that waits in a mailbox: a method to call, and who wants to know what it returned.
    #
    # @api private
    class Message
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

      # Its method will not answer, or not by returning.
      # @return [Object] the reply
      def postpone
        @postponed = true
        @reply
      end

      def postponed? = !!@postponed

      # @return [Exception, nil] what the method raises for its caller only
      attr_accessor :refusal

      # @return [Boolean] whether whoever asked has gone
      def unwanted? = !@reply.nil? && @reply.settled?

      # @return [Object] what the method returns
      def invoke(subject)
        return subject.public_send(@name, *@arguments, &@block) unless @keywords

        subject.public_send(@name, *@arguments, **@keywords, &@block)
      end

      # @return [Array<Message>] this one and those that wait for it, the innermost first
      def chain
        chain = [message = self]
        chain << message while (message = message.parent)
        chain
      end

      # @return [String]
      def inspect = "#{@cell.label}##{@name}"
    end

    # The block of a timer, which its actor works on like any message. It waits in the mailbox once at most.
    #
    # @api private
    class Tick < Message
      def initialize(cell, block)
        super(cell, :timer, nil, nil, block, nil, nil, nil)
        @over = true
      end

      # @return [Boolean] whether the last one has been worked on
      def over? = @over

      # @return [self]
      def again
        @over = false
        self
      end

      def invoke(subject)
        @over = true
        subject.instance_exec(&@block)
      end
    end
  end
end
