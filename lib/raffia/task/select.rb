# frozen_string_literal: true

require_relative "../base/clock"
require_relative "../base/error"

module Raffia
  # Waits at several channels at once, with one {Waiter}, and takes part in one exchange.
  # {Channel#push} and {Channel#pop} are the case of one clause.
  #
  # @api private
  class Select
    # A channel's answers in place of an item: nothing to exchange now, and never again.
    NOTHING = Object.new.freeze
    CLOSED = Object.new.freeze

    # A side that may wait at a channel.
    class Clause
      def initialize(channel, block = nil)
        @channel = channel
        @block = block
      end

      attr_reader :channel

      # The other side has come: returns whether this side was still waiting. The channel, whose
      # lock is held, calls it.
      def meet(item = nil) = @waiter.settle([self, item])

      def enlist(waiter)
        @waiter = waiter
        line[self] = true
      end

      def withdraw = @channel.lock.hold { line.delete(self) }

      private

      def line = @channel.line(self.class)
    end

    class Pop < Clause
      def attempt = @channel.take_now
      def give_back(item) = @channel.give_back(item)
      def finish(item) = @block ? @block.call(item) : item
    end

    class Push < Clause
      attr_reader :item

      def initialize(channel, item, block = nil)
        super(channel, block)
        @item = item
      end

      def attempt = @channel.put_now(@item)
      # The popping side has the item, so the push is complete even if its caller has gone.
      def give_back(_) = nil
      def finish(_) = @block ? @block.call : @channel
    end

    # Collects the clauses; {Raffia.select} yields it.
    class Builder
      attr_reader :clauses, :late

      def initialize
        @clauses = []
      end

      # @param channel [Channel]
      # @yieldparam item [Object]
      def pop(channel, &block) = @clauses << Pop.new(channel, block)

      # @param channel [Channel]
      # @param item [Object]
      def push(channel, item, &block) = @clauses << Push.new(channel, item, block)

      # Runs the block when the timeout has passed, instead of raising.
      def timeout(&block) = @late = block
    end

    def initialize(clauses)
      @clauses = clauses
    end

    # The value of the clause. The block is called when the time is up.
    def run(timeout, &late)
      limit = Clock.now + timeout if timeout
      clause, item = meet(limit)
      # A channel was closed: the others are tried again.
      clause, item = meet(limit) while item.equal?(CLOSED)
      return clause.finish(item) unless clause.equal?(Waiter::TIMED_OUT)

      late ? late.call : raise(TimeoutError.new(seconds: timeout))
    end

    private

    def meet(limit)
      waiter = nil
      met = hold(channels) { attempt || (enlist(waiter = Waiter.new) && nil) }
      met || wait(waiter, limit)
    end

    def wait(waiter, limit)
      remaining = [limit - Clock.now, 0].max if limit
      waiter.wait(remaining) do |clause, item|
        clause.give_back(item) unless item.equal?(CLOSED)
      end
    ensure
      @clauses.each(&:withdraw)
    end

    # In the order in which the clauses were written.
    def attempt
      closed = 0
      @clauses.each do |clause|
        item = clause.attempt
        closed += 1 if item.equal?(CLOSED)
        return [clause, item] unless item.equal?(CLOSED) || item.equal?(NOTHING)
      end
      if closed == @clauses.size
        raise Closed, "the channel is closed and empty: nothing will come any more"
      end
    end

    def enlist(waiter) = @clauses.each { |clause| clause.enlist(waiter) }

    # All at once, so that nothing can happen between the check and the wait; in one order, so that
    # two selects cannot each hold what the other needs.
    def hold(channels, &block)
      first, *rest = channels
      first.lock.hold { rest.empty? ? yield : hold(rest, &block) }
    end

    def channels
      return [@clauses.first.channel] if @clauses.one?

      @clauses.map(&:channel).uniq(&:object_id).sort_by!(&:object_id)
    end
  end

  # Waits until one of several channels is ready and does that exchange, and only that.
  #
  #   Raffia.select(timeout: 1) do |on|
  #     on.pop(stop) { break }
  #     on.pop(jobs) { |job| work(job) }
  #     on.push(results, result) { result = nil }
  #     on.timeout { idle }
  #   end
  #
  # When several are ready, the clause that was written first is taken. Clauses that pop from a
  # closed and empty channel are skipped.
  #
  # @param timeout [Numeric, nil] seconds; 0 does not wait
  # @yieldparam on [Select::Builder]
  # @return [Object] the value of the clause's block; without a block the popped item, or the
  #   channel pushed to
  # @raise [TimeoutError] when the time is up and there is no `on.timeout`
  # @raise [Closed] when all channels to pop from are closed and empty and there is nothing else, or
  #   one to push to is closed
  def self.select(timeout: nil)
    Deadline.seconds(timeout) if timeout
    builder = Select::Builder.new
    yield builder
    raise ConfigError, "select needs at least one pop or push clause" if builder.clauses.empty?

    Select.new(builder.clauses).run(timeout, &builder.late)
  end
end
