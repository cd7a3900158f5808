# frozen_string_literal: true

module Raffia
  class Actor
    # The messages that wait for an actor, in their order, up to a bound. What the system has to say
    # (that a linked actor has ended) goes before them and is not counted. The cell's guard is held
    # around each method.
    #
    # Most mailboxes are empty, or hold one message: that has a place of its own, and the rest is
    # there when it is needed.
    #
    # @api private
    class Mailbox
      # A message whose sender waits until there is room for it.
      Sender = Struct.new(:message, :waiter)
      private_constant :Sender

      # @return [Integer] how many were dropped
      attr_reader :dropped

      # @param settings [Settings]
      def initialize(settings)
        @settings = settings
        @first = @rest = @urgent = @senders = nil
        @dropped = 0
      end

      # @return [Integer]
      def size = @first ? 1 + (@rest&.size || 0) : 0

      def empty? = @first.nil? && @urgent.nil?

      def full? = !(limit = @settings.mailbox).nil? && size >= limit

      # @param patient [Boolean] whether the sender can wait
      # @return [Message, nil, Waiter] who has no place any more; nil: nobody; a waiter: the message
      #   is put in when there is room, if the sender waits for that
      # @raise [Full]
      def push(message, patient)
        return append(message) unless full?

        case @settings.when_full
        when :drop_newest then drop(message)
        when :drop_oldest then drop_oldest.tap { append(message) }
        when :block then patient ? queue(message) : refuse
        else refuse
        end
      end

      # @param event [Event] of the system's
      # @return [void]
      def urge(event) = (@urgent ||= []) << event

      # Forgets what the system had to say to an object that is no more.
      # @return [void]
      def calm = @urgent = nil

      # After all that wait, whether there is room or not.
      # @return [nil]
      def append(message)
        @first ? (@rest ||= []) << message : @first = message
        nil
      end

      # @return [Message, nil]
      def shift
        return shift_event if @urgent

        message = shift_message
        make_room if @senders
        message
      end

      # @return [Message, nil] the message, if it waited
      def delete(message)
        found = @first.equal?(message) ? shift_message : @rest&.delete(message)
        make_room if found && @senders
        found
      end

      # @return [Array<#fail>] who wants to know about all that waited
      def clear
        waiting = [@first, *@rest].filter_map { |message| message&.reply }
        @senders&.each { |sender| waiting.push(sender.waiter, *sender.message.reply) }
        @first = @rest = @urgent = @senders = nil
        waiting
      end

      private

      def shift_event
        event = @urgent.shift
        @urgent = nil if @urgent.empty?
        event
      end

      def shift_message
        message = @first
        if @rest
          @first = @rest.shift
          @rest = nil if @rest.empty?
        else
          @first = nil
        end
        message
      end

      # There is a place: it goes to the first sender that still waits.
      def make_room
        until @senders.nil? || full?
          sender = @senders.shift
          @senders = nil if @senders.empty?
          append(sender.message) if sender.waiter.settle
        end
      end

      def queue(message)
        Waiter.new.tap { |waiter| (@senders ||= []) << Sender.new(message, waiter) }
      end

      def refuse
        raise(Full.new("the mailbox is full: #{size} messages wait. Wait for some of them, or " \
          "spawn with a larger mailbox:", limit: size))
      end

      # What the system put in among the others (a timer, a stop) has nobody who would send it
      # again.
      # @return [Message, nil] nil: there was nothing else
      def drop_oldest
        return drop(shift_message) unless @first.kept?

        oldest = @rest&.find { |message| !message.kept? } or return
        @rest.delete(oldest)
        drop(oldest)
      end

      def drop(message)
        @dropped += 1
        message
      end
    end
  end
end
