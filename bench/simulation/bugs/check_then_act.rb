# frozen_string_literal: true

# Classic: the last item in stock is sold twice, because the stock is read and lowered in two calls.
# Fixed: both under one lock.
module SimulationBench
  module CheckThenAct
    class Shop
      attr_reader :stock

      def initialize = @stock = {tea: 1}

      def buy(item)
        return false unless available?(item)

        @stock.store(item, @stock.fetch(item) - 1)
        true
      end

      def available?(item) = @stock.fetch(item).positive?
    end

    class LockedShop < Shop
      def initialize
        super
        @lock = Mutex.new
      end

      def buy(item) = @lock.synchronize { super }
    end

    def self.run(shop)
      sold = Array.new(2) { Thread.new { shop.buy(:tea) } }.map(&:value)
      SimulationBench.check(sold.one?, "one tea in stock, sold #{sold.count(true)} times")
    end
  end

  model "check_then_act", source: "classic", fault: "checks a Hash, then changes it",
    needs: [:preempt], buggy: ->(_sim) { CheckThenAct.run(CheckThenAct::Shop.new) },
    fixed: ->(_sim) { CheckThenAct.run(CheckThenAct::LockedShop.new) }
end
