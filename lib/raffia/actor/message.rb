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

      attr_reader :name, :arguments, :keywords, :block
      attr_reader :reply
      attr_reader :deadline
      # The message in which this one was sent, if its actor waits meanwhile.
      attr_reader :parent
      attr_reader :core
      # The error that the method raises for its caller only.
      attr_accessor :refusal
      # True when its method does not answer by returning.
      attr_reader :postponed

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

      # The message that the running code handles.
      def self.current = Fiber[KEY]

      # Forgets what was inherited from the fiber that started this one.
      def self.clear_current = Fiber[KEY] = nil

      def handle
        outer = Fiber[KEY]
        Fiber[KEY] = self
        @underway = true
        yield
      ensure
        @underway = false
        Fiber[KEY] = outer
      end

      def underway? = !!@underway

      def over? = @underway == false

      # Returns the {Answer} that comes in place of what its method returns.
      def postpone
        @postponed = true
        @core.defer(Answer.new(@core, @reply))
      end

      # Leaves the handling and the answer to another actor, with a message for that.
      def forward_to(core)
        @postponed = true
        message = Message.new(core, @name, @arguments, @keywords, @block, @reply, @deadline,
          @parent)
        @parent.expect(message) if @parent && !unwanted?
        @reply.message = message if @reply.respond_to?(:message=)
        message
      end

      def droppable? = true

      # Whether nobody waits for it any more: it is answered, or the caller has gone.
      def unwanted? = !@reply.nil? && @reply.settled?

      def invoke(object)
        return object.public_send(@name, *@arguments, &@block) unless @keywords

        object.public_send(@name, *@arguments, **@keywords, &@block)
      end

      # Runs the block, which waits for another message's answer. Raises CallCycle, unless the
      # answer is certain to come.
      def await(message, answered = nil)
        @waits = message
        message.core.check_cycle(self, message) unless answered
        message.awaited_by(self) { yield }
      ensure
        @waits = nil
      end

      # The message whose answer this one waits for. The waiting fiber may learn last that the
      # answer was given.
      def waits = (@waits unless @waits&.unwanted?)

      def expect(message) = @waits = message

      # Another waits for this one's answer from now on.
      def adopt(parent) = @parent ||= parent

      def rest = @waits = nil

      # Runs the block while the parent waits for this one, which was sent before.
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

require_relative "system_message"
