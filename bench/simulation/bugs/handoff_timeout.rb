# frozen_string_literal: true

# Classic: a consumer gives up after a time, in the instant in which a producer hands it the item;
# nobody has it then. Fixed: look once more when the time is over.
module SimulationBench
  module HandoffTimeout
    class Handoff
      def initialize
        @lock = Mutex.new
        @changed = ConditionVariable.new
        @waiting = false
        @item = nil
      end

      # @return [Boolean] whether a consumer has it
      def offer(item)
        @lock.synchronize do
          next false unless @waiting

          @waiting = false
          @item = item
          @changed.signal
          true
        end
      end

      def take(limit)
        @lock.synchronize do
          @waiting = true
          @changed.wait(@lock, limit)
        end
        give_up
      end

      private

      # The wait is over: by an item or by the time?
      def give_up
        return @item unless waiting?

        @lock.synchronize { @waiting = false }
        nil
      end

      def waiting? = @waiting
    end

    class CheckingHandoff < Handoff
      def give_up
        @lock.synchronize do
          @waiting = false
          @item
        end
      end
    end

    def self.run(handoff)
      consumer = Thread.new { handoff.take(0.001) }
      sleep 0.001
      given = handoff.offer(:item)
      taken = consumer.value
      SimulationBench.check(given == !taken.nil?,
        "handed over: #{given}, received: #{taken.inspect}")
    end
  end

  model "handoff_timeout", source: "classic", fault: "gives up in the instant of the hand-over",
    needs: %i[preempt time], buggy: ->(_sim) { HandoffTimeout.run(HandoffTimeout::Handoff.new) },
    fixed: ->(_sim) { HandoffTimeout.run(HandoffTimeout::CheckingHandoff.new) }
end
