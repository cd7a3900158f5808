# frozen_string_literal: true

require_relative "../base/error"
require_relative "select"

module Raffia
  # A bounded queue between tasks, and between tasks and plain threads; the faster side waits.
  #
  #   channel = Raffia::Channel.new(10)
  #   scope.spawn { lines.each { |line| channel << line }; channel.close }
  #   scope.spawn { channel.each { |line| work(line) } }
  #
  # Items and waiting parties are served in their order. Cancelling a task in {#pop} loses no item:
  # one that was delivered already goes back to the front.
  class Channel
    include Enumerable

    # @return [Integer, nil]
    attr_reader :capacity

    # @param capacity [Integer, nil] how many items the channel holds. 0: none, so each push waits
    #   for its pop. nil: any number; pushing never waits, and a fast producer may fill the memory
    # @raise [ConfigError]
    def initialize(capacity = 0)
      @capacity = checked(capacity)
      @lock = SpinLock.new
      @items = []
      @lines = {Select::Pop => {}.compare_by_identity, Select::Push => {}.compare_by_identity}
      @closed = false
    end

    # Puts an item in; waits while there is no room.
    #
    # @param timeout [Numeric, nil] seconds to wait at most; 0 does not wait
    # @return [self]
    # @raise [Closed] when the channel is closed, or becomes so meanwhile: the item was not taken
    # @raise [TimeoutError]
    def push(item, timeout: nil)
      Deadline.seconds(timeout) if timeout
      put = @lock.hold { put_now(item) }
      Select.new([Select::Push.new(self, item)]).run(timeout) if put.equal?(Select::NOTHING)
      self
    end

    # @return [self]
    def <<(item) = push(item)

    # Takes the oldest item out; waits while there is none.
    #
    # @param timeout [Numeric, nil] seconds to wait at most; 0 does not wait
    # @return [Object]
    # @raise [Closed] when the channel is closed and empty
    # @raise [TimeoutError]
    def pop(timeout: nil)
      Deadline.seconds(timeout) if timeout
      item = @lock.hold { take_now }
      return item unless item.equal?(Select::NOTHING) || item.equal?(Select::CLOSED)

      Select.new([Select::Pop.new(self)]).run(timeout)
    end

    # Pops until the channel is closed and empty.
    # @yieldparam item [Object]
    # @return [self]
    def each
      return enum_for unless block_given?

      until (item = pop_or_end).equal?(Select::CLOSED)
        yield item
      end
      self
    end

    # Takes no more items. Those in the channel can still be popped; callers that wait in {#push}
    # get {Closed}. Idempotent.
    # @return [self]
    def close
      @lock.hold do
        @closed = true
        @lines.each_value { |line| line.each_key { |clause| clause.meet(Select::CLOSED) } }
      end
      self
    end

    # @return [Boolean]
    def closed? = @closed

    # @return [Integer] items in the channel; those of waiting pushes do not count
    def size = @items.size

    # @return [Boolean]
    def empty? = @items.empty?

    # @return [String]
    def inspect = "#<#{self.class} #{size}/#{capacity || "unbounded"}#{" closed" if closed?}>"

    # For {Select}, which calls the next three methods under the lock.
    # @api private
    attr_reader :lock

    # Waiting clauses, in order.
    # @api private
    def line(kind) = @lines[kind]

    # True, or NOTHING when there is no room.
    # @api private
    def put_now(item)
      raise Closed, "the channel is closed: it takes no more items" if @closed

      return true if deliver(item)
      return Select::NOTHING if @capacity && @items.size >= @capacity

      @items << item
      true
    end

    # An item, NOTHING or CLOSED.
    # @api private
    def take_now
      unless @items.empty?
        item = @items.shift
        refill
        return item
      end

      offered = offer
      return offered.item if offered

      @closed ? Select::CLOSED : Select::NOTHING
    end

    # Takes back an item whose receiver was cancelled before it could run.
    # @api private
    def give_back(item)
      @lock.hold { @items.unshift(item) unless deliver(item) }
    end

    private

    def pop_or_end
      pop
    rescue Closed
      Select::CLOSED
    end

    def checked(capacity)
      return capacity if capacity.nil? || (capacity.is_a?(Integer) && capacity >= 0)

      raise ConfigError, "a channel's capacity is a whole number from 0 up, or nil for no bound, " \
        "not #{capacity.inspect}"
    end

    def deliver(item)
      line = @lines[Select::Pop]
      until line.empty?
        return true if line.shift.first.meet(item)
      end
      false
    end

    # The first of the waiting pushes, which is thereby complete.
    def offer
      line = @lines[Select::Push]
      until line.empty?
        clause = line.shift.first
        return clause if clause.meet
      end
    end

    # An item that was given back may have filled the channel beyond its bound.
    def refill
      return unless @items.size < @capacity.to_i

      offered = offer
      @items << offered.item if offered
    end
  end
end
