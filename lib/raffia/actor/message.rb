# frozen_string_literal: true

module Raffia
  class Actor
    # A method call that waits in a mailbox, and the reply that its caller waits for.
    #
    # Messages are the edges of the {WaitGraph}: each knows which message waits for it (`parent`),
    # and whose answer it waits for itself (`waits`).
    #
    # @api private
    class Message
      KEY = :raffia_message
      private_constant :KEY

      attr_reader :name, :arguments
      # @return [Hash, nil]
      attr_reader :keywords
      # @return [Proc, nil]
      attr_reader :block
      # @return [#settle, #fail, nil] a {Waiter} or a {Future}; nil: nobody waits
      attr_reader :reply
      # @return [Deadline, nil] after which nobody wants the answer
      attr_reader :deadline
      # @return [Message, nil] in which this was sent, if its actor waits meanwhile
      attr_reader :parent
      # @return [ActorCore] of the actor that it goes to
      attr_reader :core
      # @return [Exception, nil] what the method raises for its caller only
      attr_accessor :refusal

      def initialize(core, name, arguments, keywords, block, reply, deadline, parent)
        @core = core
        @name = name
        @arguments = arguments
        @keywords = keywords
        @block = block
        @reply = reply
        @deadline = deadline
        @parent = parent
      end

      # @return [Message, nil] which the running code handles
      def self.current = Fiber[KEY]

      # Forgets what was inherited from the fiber that started this one.
      def self.clear_current = Fiber[KEY] = nil

      # Runs the block as the handling of this message.
      # @return [Object] the block's value
      def handle
        outer = Fiber[KEY]
        Fiber[KEY] = self
        @underway = true
        yield
      ensure
        @underway = false
        Fiber[KEY] = outer
      end

      # @return [Boolean] whether it is being handled
      def underway? = !!@underway

      # @return [Boolean] whether it has been handled
      def over? = @underway == false

      # Its method does not answer by returning.
      # @return [Answer]
      def postpone
        @postponed = true
        @core.defer(Answer.new(@core, @reply))
      end

      def postponed? = !!@postponed

      # Leaves the handling and the answer to another actor.
      # @return [Message] for that one
      def forward_to(core)
        @postponed = true
        Message.new(core, @name, @arguments, @keywords, @block, @reply, @deadline, @parent)
          .tap do |message|
          @parent.expect(message) if @parent && !unwanted?
          @reply.message = message if @reply.respond_to?(:message=)
        end
      end

      # @return [Boolean] whether a full mailbox may drop it
      def droppable? = true

      # @return [Boolean] whether nobody waits for it any more: it is answered, or the caller has
      #   gone
      def unwanted? = !@reply.nil? && @reply.settled?

      # @return [Object] what the method returns
      def invoke(object)
        return object.public_send(@name, *@arguments, &@block) unless @keywords

        object.public_send(@name, *@arguments, **@keywords, &@block)
      end

      # Runs the block, which waits for another message's answer.
      # @param answered [Object, nil] not nil when the answer is certain to come
      # @return [Object] the block's value
      # @raise [CallCycle]
      def await(message, answered = nil)
        @waits = message
        message.core.check_cycle(self, message) unless answered
        message.awaited_by(self) { yield }
      ensure
        @waits = nil
      end

      # @return [Message, nil] whose answer this one waits for. The waiting fiber may learn last
      #   that the answer was given.
      def waits = (@waits unless @waits&.unwanted?)

      # Waits for another's answer from now on.
      def expect(message) = @waits = message

      # Another waits for this one's answer from now on.
      def adopt(parent) = @parent ||= parent

      # Waits no longer.
      def rest = @waits = nil

      # @yield while the parent waits for this one, which was sent before
      def awaited_by(parent)
        return yield if @parent

        begin
          @parent = parent
          yield
        ensure
          @parent = nil
        end
      end

      def inspect = "#{@core.label}##{@name}"
    end
  end
end

require_relative "mailbox_wait"
require_relative "stop_message"
require_relative "system_message"
require_relative "timer_message"
