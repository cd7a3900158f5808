# frozen_string_literal: true

# Classic: a consumer that was woken does not look again (`if` in place of `while`); another
# consumer took the item before it got the lock. Fixed: `until`.
module SimulationBench
  module BoundedBufferIf
    class Buffer
      def initialize
        @lock = Mutex.new
        @filled = ConditionVariable.new
        @items = []
      end

      def put(item)
        @lock.synchronize do
          @items.push(item)
          @filled.signal
        end
      end

      def take
        @lock.synchronize do
          wait
          @items.shift
        end
      end

      private

      def wait
        @filled.wait(@lock) if @items.empty?
      end
    end

    class CheckingBuffer < Buffer
      def wait
        @filled.wait(@lock) while @items.empty?
      end
    end

    def self.run(buffer)
      consumers = Array.new(2) { Thread.new { buffer.take } }
      2.times { |item| buffer.put(item) }
      items = consumers.map(&:value)
      SimulationBench.check(items.none?(&:nil?), "a consumer got nothing: #{items.inspect}")
    end
  end

  model "bounded_buffer_if", source: "classic", fault: "`if` where `while` is needed",
    needs: [:preempt], buggy: ->(_sim) { BoundedBufferIf.run(BoundedBufferIf::Buffer.new) },
    fixed: ->(_sim) { BoundedBufferIf.run(BoundedBufferIf::CheckingBuffer.new) }
end
