# frozen_string_literal: true

module Celluloid
  # High-priority messages.
  class SystemEvent; end

  class TerminationRequest < SystemEvent; end

  # Objects for a thread, or for an actor, whose tasks get them by `receive`.
  class Mailbox
    include Enumerable

    attr_reader :address
    # Objects beyond this are discarded; nil: no bound.
    attr_accessor :max_size
    attr_reader :cell

    def initialize
      @address = Celluloid.uuid
      @messages = []
      @mutex = ::Thread::Mutex.new
      @condition = ::Thread::ConditionVariable.new
      @dead = false
      @max_size = nil
    end

    def attach(cell)
      @cell = cell
      @max_size = cell.actor_class.mailbox_size
      self
    end

    def <<(message)
      return @cell.terminate && nil if @cell && message.is_a?(TerminationRequest)

      return discard(message) unless put(message)

      @cell&.object_arrived
      nil
    end

    # Nil when the time was up. Raises MailboxDead.
    def check(timeout = nil, &block)
      limit = ::Raffia::Clock.now + timeout if timeout
      @mutex.synchronize do
        until (message = take(&block))
          raise MailboxDead, "attempted to receive from a dead mailbox" if @dead

          rest = limit && limit - ::Raffia::Clock.now
          return if rest && rest <= 0

          @condition.wait(@mutex, rest)
        end
        message.first
      end
    end

    def receive(timeout = nil, &)
      message = check(timeout, &)
      raise TaskTimeout, "receive timeout exceeded" if message.nil? && timeout

      message
    end

    def shutdown(&)
      raise MailboxDead, "mailbox already shutdown" if @dead

      close(&)
      true
    end

    # The actor has ended.
    def close
      left = @mutex.synchronize do
        yield if block_given?
        @dead = true
        @condition.broadcast
        @messages.tap { @messages = [] }
      end
      left.each { |message| discard(message) }
    end

    def alive? = @cell ? @cell.alive? : !@dead

    def to_a = @mutex.synchronize { @messages.dup }

    def each(&) = to_a.each(&)

    def size = @mutex.synchronize { @messages.size } + (@cell ? @cell.stats[:mailbox] : 0)

    def inspect = "#<#{self.class}:#{object_id.to_s(16)} @messages=[#{map(&:inspect).join(", ")}]>"

    private

    def put(message)
      @mutex.synchronize do
        return false if @dead || (@max_size && @messages.size >= @max_size)

        message.is_a?(SystemEvent) ? @messages.unshift(message) : @messages.push(message)
        @condition.signal
        true
      end
    end

    # An Array with the message, or nil.
    def take
      return (@messages.empty? ? nil : [@messages.shift]) unless block_given?

      index = @messages.index { |message| yield(message) || message.is_a?(SystemEvent) }
      index && [@messages.delete_at(index)]
    end

    def discard(message)
      Internals::Logger.debug("Discarded message (mailbox is dead): #{message}")
      nil
    end
  end
end
