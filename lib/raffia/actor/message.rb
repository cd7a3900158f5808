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
      # @return [Message, nil] whose answer is waited for in this one
      attr_reader :waits
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

      # Runs the block, which waits for another's answer.
      # @param sure [Object, nil] that it will come
      # @return [Object] the block's value
      # @raise [CallCycle]
      def await(message, sure = nil)
        @waits = message
        message.cell.check_cycle(self, message) unless sure
        message.awaited_by(self) { yield }
      ensure
        @waits = nil
      end

      # From now on it waits for another's answer.
      # @return [void]
      def expect(message) = @waits = message

      # From now on another waits for this one's answer.
      # @return [void]
      def adopt(parent) = @parent ||= parent

      # It has been answered.
      # @return [void]
      def rest = @waits = nil

      # @yield while its sender waits for it, who may have done other things before
      def awaited_by(parent)
        return yield if @parent

        begin
          @parent = parent
          yield
        ensure
          @parent = nil
        end
      end

      # Its method will not answer by returning.
      # @return [Answer]
      def postpone
        @postponed = true
        @cell.owe(Answer.new(@cell, @reply))
      end

      def postponed? = !!@postponed

      # @return [Exception, nil] what the method raises for its caller only
      attr_accessor :refusal

      # @return [Boolean] whether it stays in a full mailbox
      def kept? = false

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

    # What is still to be answered, by whoever has this.
    class Answer
      # @api private
      def initialize(cell, reply)
        @cell = cell
        @reply = reply
      end

      # @param value [Object] what the caller gets
      # @return [Boolean] whether somebody waited for it
      def settle(value = nil)
        @cell.paid(self)
        !@reply.nil? && @reply.settle(value)
      end

      # @param error [Exception] what is raised in the caller
      # @return [Boolean] whether somebody waited for it
      def fail(error)
        @cell.paid(self)
        !@reply.nil? && @reply.fail(error)
      end
    end

    # Something that the system has to say.
    #
    # @api private
    class Event < Message
      def initialize(cell, block)
        super(cell, :event, nil, nil, block, nil, nil, nil)
      end

      def invoke(_subject) = @block.call
    end

    # The last one for an object.
    #
    # @api private
    class Farewell < Message
      # @return [Object]
      attr_reader :reason

      def initialize(cell, reason, final)
        super(cell, :stop, nil, nil, nil, nil, nil, nil)
        @reason = reason
        @final = final
      end

      def kept? = true

      # @return [Boolean] whether no other object is to follow
      def final? = @final
    end

    # The block of a timer, which its actor works on like any message. It waits in the mailbox once at most.
    #
    # @api private
    class Tick < Message
      def initialize(cell, timer, block)
        super(cell, :timer, nil, nil, block, nil, nil, nil)
        @timer = timer
        @waits_its_turn = false
      end

      # @return [Boolean] whether the last one has not been worked on
      def waits? = @waits_its_turn

      # @return [self]
      def wait
        @waits_its_turn = true
        self
      end

      def kept? = true

      def unwanted? = @timer.cancelled?

      def invoke(subject)
        @waits_its_turn = false
        subject.instance_exec(&@block)
      end
    end
  end
end
