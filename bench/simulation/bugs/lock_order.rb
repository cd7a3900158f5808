# frozen_string_literal: true

# Classic: a transfer locks the account that pays, then the one that receives; two transfers in
# opposite directions wait for each other. Fixed: locks in the order of the accounts' numbers.
module SimulationBench
  module LockOrder
    class Account
      attr_reader :number, :lock, :balance

      def initialize(number)
        @number = number
        @lock = Mutex.new
        @balance = 10
      end

      def covers?(amount) = @balance >= amount

      def add(amount) = @balance += amount
    end

    module_function

    def transfer(from, to, locked: [from, to])
      first, second = locked
      first.lock.synchronize do
        next unless from.covers?(1)

        second.lock.synchronize do
          from.add(-1)
          to.add(1)
        end
      end
    end

    def ordered_transfer(from, to) = transfer(from, to, locked: [from, to].sort_by(&:number))

    def run(method)
      one = Account.new(1)
      two = Account.new(2)
      threads = [[one, two], [two, one]].map do |from, to|
        Thread.new { public_send(method, from, to) }
      end
      threads.each(&:join)
      SimulationBench.check(one.balance == 10 && two.balance == 10, "money was lost")
    end
  end

  model "lock_order", source: "classic", fault: "two locks in opposite orders", needs: [:preempt],
    buggy: ->(_sim) { LockOrder.run(:transfer) },
    fixed: ->(_sim) { LockOrder.run(:ordered_transfer) }
end
