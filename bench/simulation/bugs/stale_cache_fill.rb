# frozen_string_literal: true

# Classic: a reader has read the old row; a writer changes the row and clears the cache; the reader
# then fills the cache with what it read. Fixed: a version, which the writer raises.
module SimulationBench
  module StaleCacheFill
    class Store
      def initialize
        @lock = Mutex.new
        @rows = {price: 10}
        @cache = {}
        @version = 0
      end

      def price
        @cache.fetch(:price) do
          version = @version
          fill(@rows.fetch(:price), version)
        end
      end

      def change(price)
        @rows.store(:price, price)
        @lock.synchronize do
          @version += 1
          @cache.delete(:price)
        end
      end

      private

      def fill(price, _version) = @cache.store(:price, price)
    end

    class VersionedStore < Store
      def fill(price, version)
        @lock.synchronize { (version == @version) ? super : price }
      end
    end

    def self.run(store)
      reader = Thread.new { store.price }
      store.change(12)
      reader.join
      SimulationBench.check(store.price == 12, "the cache keeps the old price #{store.price}")
    end
  end

  model "stale_cache_fill", source: "classic",
    fault: "an old row fills the cache after its clearing",
    needs: [:preempt], buggy: ->(_sim) { StaleCacheFill.run(StaleCacheFill::Store.new) },
    fixed: ->(_sim) { StaleCacheFill.run(StaleCacheFill::VersionedStore.new) }
end
