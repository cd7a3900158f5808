# frozen_string_literal: true

# Classic: an object made on first use; the check is made before the lock only, so that the thread
# that waited for the lock makes a second one. Fixed: check again under the lock.
module SimulationBench
  module DoubleCheckedInit
    class Registry
      attr_reader :made

      def initialize
        @lock = Mutex.new
        @made = 0
      end

      def connection = existing || @lock.synchronize { make }

      private

      def existing = @connection

      def make
        @made += 1
        @connection = Object.new
      end
    end

    class CheckingRegistry < Registry
      def make = existing || super
    end

    def self.run(registry)
      connections = Array.new(2) { Thread.new { registry.connection } }.map(&:value)
      SimulationBench.check(registry.made == 1 && connections.uniq.one?,
        "#{registry.made} connections were made")
    end
  end

  model "double_checked_init", source: "classic", fault: "no second check under the lock",
    needs: [:preempt],
    buggy: ->(_sim) { DoubleCheckedInit.run(DoubleCheckedInit::Registry.new) },
    fixed: ->(_sim) { DoubleCheckedInit.run(DoubleCheckedInit::CheckingRegistry.new) }
end
