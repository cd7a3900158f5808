# frozen_string_literal: true

# Classic: a consumer holds the outer monitor while it waits on a condition of the inner one, which
# the producer reaches only through the outer. Fixed: wait outside of the outer monitor.
module SimulationBench
  module NestedMonitor
    class Inbox
      def initialize
        @lock = Monitor.new
        @arrived = @lock.new_cond
        @letters = []
      end

      def put(letter)
        @lock.synchronize do
          @letters.push(letter)
          @arrived.signal
        end
      end

      def take
        @lock.synchronize do
          @arrived.wait_while { @letters.empty? }
          @letters.shift
        end
      end
    end

    class Office
      def initialize
        @lock = Monitor.new
        @inbox = Inbox.new
      end

      def deliver(letter) = @lock.synchronize { @inbox.put(letter) }

      def read = @lock.synchronize { @inbox.take }
    end

    class OpenOffice < Office
      def read = @inbox.take
    end

    def self.run(office)
      reader = Thread.new { office.read }
      office.deliver("hello")
      SimulationBench.check(reader.value == "hello", "a letter was lost")
    end
  end

  model "nested_monitor", source: "classic", fault: "waits while it holds the outer monitor",
    needs: [:preempt], buggy: ->(_sim) { NestedMonitor.run(NestedMonitor::Office.new) },
    fixed: ->(_sim) { NestedMonitor.run(NestedMonitor::OpenOffice.new) }
end
