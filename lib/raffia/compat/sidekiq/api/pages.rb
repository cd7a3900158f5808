# frozen_string_literal: true

require_relative "../../../jobs"

module Sidekiq
  # The entries of a set or a queue, some at a time, while they come and go.
  #
  # @api private
  class Pages
    # How many are read at once.
    SIZE = 500
    # How many of them are read again with the next ones, see {backwards}.
    AGAIN = SIZE / 2
    private_constant :AGAIN

    # @param set [Symbol] of {Raffia::Jobs::Store::SETS}
    # @param queue [String, nil]
    def initialize(set, queue: nil)
      @set = set
      @queue = queue
    end

    # @return [Integer]
    def size = @queue ? facts["size"] : store.counts.fetch(@set)

    # @return [Hash] of the queue
    def facts
      store.queues.find { |queue| queue["name"] == @queue } ||
        {"size" => 0, "latency" => 0.0, "paused" => false}
    end

    # As the store has them. What goes meanwhile has been seen, and what comes does so in front.
    # @yieldparam entry [Raffia::Jobs::Entry]
    # @return [void]
    def forwards(&)
      offset = 0
      before = size
      until (page = read(offset, SIZE)).empty?
        page.each(&)
        offset = (offset + page.size + size - before).clamp(0..)
        before = size
      end
    end

    # From the last one on. What comes in front meanwhile moves those that are left backwards, what
    # goes moves them forwards: so pages overlap, and who was in the one before does not come twice.
    # @yieldparam entry [Raffia::Jobs::Entry]
    # @return [void]
    def backwards(&)
      left = size + AGAIN
      before = []
      until left.zero?
        from = (left - SIZE).clamp(0..)
        page = read(from, left - from)
        (page - before).reverse_each(&)
        before = page
        left = from.zero? ? 0 : from + AGAIN
      end
    end

    # @param jid [String]
    # @return [Raffia::Jobs::Entry, nil]
    def find(jid)
      store.entries(@set, queue: @queue, match: jid, limit: SIZE).find { |entry| entry.jid == jid }
    end

    # @return [Integer] how many were there
    def clear = store.clear(@set, queue: @queue)

    # Each once, however many come meanwhile.
    # @yieldparam entries [Array<Raffia::Jobs::Entry>]
    # @yieldreturn [Integer] how many of them are in this set no more
    # @return [void]
    def drain
      left = size
      stay = 0
      while left.positive? && (page = read(stay, [SIZE, left].min)).any?
        stay += page.size - yield(page)
        left -= page.size
      end
    end

    private

    def store = Raffia::Jobs.store

    def read(offset, limit) = store.entries(@set, queue: @queue, offset: offset, limit: limit)
  end
  private_constant :Pages
end
