# frozen_string_literal: true

module Raffia
  class Actor
    # The messages that wait for an actor, in their order, up to a bound. What the system has to say (that a linked actor has ended, that
    # this one is to stop) goes before them and is not counted. The cell's guard is held around each method but {wait}.
    #
    # @api private
    class Mailbox
      # @return [Integer] how many were dropped
      attr_reader :dropped

      # @param capacity [Integer, nil]
      def initialize(capacity, policy)
        @capacity = capacity
        @policy = policy
        @messages = []
        @urgent = nil
        @senders = nil
        @dropped = 0
      end

      # @return [Integer]
      def size = @messages.size

      def empty? = @messages.empty? && (@urgent.nil? || @urgent.empty?)

      # @return [Message, nil, Waiter] who has no place any more; nil: nobody; a waiter: the sender has to wait, and try again
      # @raise [Full]
      def push(message, patient)
        return @messages.push(message) && nil if @capacity.nil? || @messages.size < @capacity

        case @policy
        when :drop_newest then drop(message)
        when :drop_oldest then drop(@messages.shift).tap { @messages << message }
        when :block then patient ? queue : refuse
        else refuse
        end
      end

      # @param event [Object] of the system's
      def urge(event) = (@urgent ||= []) << event

      # After all that wait, whether there is room or not.
      # @return [void]
      def append(order) = @messages << order

      # @return [Object, Message, nil]
      def shift
        return @urgent.shift if @urgent && !@urgent.empty?

        message = @messages.shift
        make_room if @senders
        message
      end

      # There is a place: the next sender that still waits may try.
      # @return [void]
      def make_room
        until @senders.nil? || @senders.empty?
          return if @senders.shift.settle
        end
      end

      # @return [Array<Message>] all that waited
      def clear
        @senders&.each(&:settle)
        @senders = nil
        @messages.tap { @messages = [] }
      end

      private

      def refuse = raise(Full.new("the mailbox is full: #{@capacity} messages wait. Wait for some of them, or spawn with a larger mailbox:", limit: @capacity))

      def drop(message)
        @dropped += 1
        message
      end

      def queue = Waiter.new.tap { |waiter| (@senders ||= []) << waiter }
    end
  end
end
