# frozen_string_literal: true

# Classic: a worker is killed while its ensure clause returns what it holds: the count of the free
# slots was not yet put back. Fixed: the kill waits until the slot is back.
module SimulationBench
  module PoolLeakOnCancel
    class Slots
      attr_reader :free

      def initialize(free)
        @free = free
        @log = []
      end

      def with
        take
        yield
      ensure
        give_back
      end

      private

      def take
        @free -= 1
        nil
      end

      def give_back
        @log.push(:returned)
        @free += 1
      end
    end

    class MaskedSlots < Slots
      def with
        Thread.handle_interrupt(Object => :never) do
          super { Thread.handle_interrupt(Object => :immediate) { yield } }
        end
      end
    end

    def self.run(slots)
      worker = Thread.new { slots.with { work } }
      Thread.pass
      worker.kill
      worker.join
      SimulationBench.check(slots.free == 1, "#{slots.free} slots are free, not 1")
    end

    def self.work = Array.new(3) { |number| number.to_s }
  end

  model "pool_leak_on_cancel", source: "classic", fault: "killed in the ensure that gives back",
    needs: [:interrupt], buggy: ->(_sim) { PoolLeakOnCancel.run(PoolLeakOnCancel::Slots.new(1)) },
    fixed: ->(_sim) { PoolLeakOnCancel.run(PoolLeakOnCancel::MaskedSlots.new(1)) }
end
