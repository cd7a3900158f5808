# frozen_string_literal: true

module Sidekiq
  # Reads the entries of a set or a queue by pages, while others add and remove entries.
  #
  # @api private
  class Pages
    # Entries of a page.
    SIZE = 500
    # Entries that two pages share, see {backwards}.
    OVERLAP = SIZE / 2
    private_constant :OVERLAP

    # +set+: one of {Raffia::Jobs::Store::SETS}.
    def initialize(set, queue: nil)
      @set = set
      @queue = queue
    end

    def size = @queue ? summary["size"] : store.counts.fetch(@set)

    def summary
      store.queues.find { |queue| queue["name"] == @queue } ||
        {"size" => 0, "latency" => 0.0, "paused" => false}
    end

    # Yields entries in the store's order. Assumes that removed entries have been yielded, and that
    # new ones come in front.
    def forwards(&)
      offset = 0
      before = size
      until (page = read(offset, SIZE)).empty?
        page.each(&)
        offset = (offset + page.size + size - before).clamp(0..)
        before = size
      end
    end

    # Yields entries from the last one on. New entries move the rest backwards, removed ones move it
    # forwards: therefore pages overlap, and entries of the page before are skipped.
    def backwards(&)
      left = size + OVERLAP
      before = []
      until left.zero?
        from = (left - SIZE).clamp(0..)
        page = read(from, left - from)
        (page - before).reverse_each(&)
        before = page
        left = from.zero? ? 0 : from + OVERLAP
      end
    end

    def find(jid)
      store.entries(@set, queue: @queue, match: jid, limit: SIZE).find { |entry| entry.jid == jid }
    end

    def clear = store.clear(@set, queue: @queue)

    # Yields each entry once, even while others come. The block returns how many have left the set.
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

    def read(offset, limit) = store.entries(@set, queue: @queue, offset:, limit:)
  end
  private_constant :Pages
end
