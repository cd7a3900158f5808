# frozen_string_literal: true

# Classic: listeners are called in `each` while another thread adds one: Ruby raises. Fixed: the
# loop runs over a copy.
module SimulationBench
  module IterateWhileAdding
    class Bus
      def initialize = @listeners = {}

      def on(name, &block) = @listeners.store(name, block)

      def publish(event) = @listeners.each_value { |listener| listener.call(event) }
    end

    class CopyingBus < Bus
      def publish(event) = @listeners.values.each { |listener| listener.call(event) }
    end

    def self.run(bus)
      events = Queue.new
      bus.on(:log) { |event| events.push(event) }
      publisher = Thread.new { bus.publish(:saved) }
      bus.on(:mail) { |event| events.push(event) }
      publisher.join
      SimulationBench.check(events.size.between?(1, 2), "#{events.size} events")
    end
  end

  model "iterate_while_adding", source: "classic", fault: "a Hash is added to during `each`",
    needs: [:preempt], buggy: ->(_sim) { IterateWhileAdding.run(IterateWhileAdding::Bus.new) },
    fixed: ->(_sim) { IterateWhileAdding.run(IterateWhileAdding::CopyingBus.new) }
end
