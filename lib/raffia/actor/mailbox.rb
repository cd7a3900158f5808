# frozen_string_literal: true

module Raffia
  class Actor
    # Messages that wait for an actor, in order, up to a limit. Messages of the system (a linked
    # actor has ended) go first and do not count.
    #
    # Most mailboxes hold one message or none: the first has a variable of its own, and the lists
    # are made when they are needed. The caller holds the actor's lock.
    #
    # @api private
    class Mailbox
      Sender = Struct.new(:message, :waiter)
      private_constant :Sender

      attr_reader :dropped

      def initialize(settings)
        @settings = settings
        @first = @rest = @urgent = @senders = nil
        @dropped = 0
      end

      def size = @first ? 1 + (@rest&.size || 0) : 0

      def empty? = @first.nil? && @urgent.nil?

      def full? = !(limit = @settings.mailbox).nil? && size >= limit

      def senders = @senders.to_a.size

      # Returns nil, a message that was dropped, or a {Waiter}: the message is put in when there is
      # room, if the sender waits for that. The block says whether it can.
      def push(message)
        return append(message) unless full?

        case @settings.when_full
        when :drop_newest then drop(message)
        when :drop_oldest then drop_oldest.tap { append(message) }
        when :block then yield ? queue(message) : refuse
        else refuse
        end
      end

      def urge(message) = (@urgent ||= []) << message

      # Discards what the system had to say to an object that has ended.
      def discard_urgent = @urgent = nil

      def append(message)
        @first ? (@rest ||= []) << message : @first = message
        nil
      end

      def shift
        return shift_urgent if @urgent

        message = shift_message
        make_room if @senders
        message
      end

      def delete(message)
        found = @first.equal?(message) ? shift_message : @rest&.delete(message)
        make_room if found && @senders
        found
      end

      # Returns replies and waiters of all that waited.
      def clear
        waiting = [@first, *@rest].filter_map { |message| message&.reply }
        @senders&.each { |sender| waiting.push(sender.waiter, *sender.message.reply) }
        @first = @rest = @urgent = @senders = nil
        waiting
      end

      private

      def shift_urgent
        message = @urgent.shift
        @urgent = nil if @urgent.empty?
        message
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

      # Gives free places to the first senders that still wait.
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
        raise Full.new("the mailbox is full: #{size} messages wait. Wait for some of them, " \
          "or spawn with a larger mailbox:", limit: size)
      end

      # Timers and stops stay: nobody would send them again. Returns nil when there was nothing
      # else.
      def drop_oldest
        return drop(shift_message) if @first.droppable?

        oldest = @rest&.find(&:droppable?) or return
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
