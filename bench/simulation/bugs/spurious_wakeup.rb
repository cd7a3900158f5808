# frozen_string_literal: true

# Classic: ConditionVariable#wait may return without a signal; the waiter takes its return for the
# event. Fixed: wait until the event is there.
module SimulationBench
  module SpuriousWakeup
    class Download
      def initialize
        @lock = Mutex.new
        @finished = ConditionVariable.new
        @body = nil
      end

      def finish(body)
        @lock.synchronize do
          @body = body
          @finished.signal
        end
      end

      def body
        @lock.synchronize do
          wait
          @body
        end
      end

      private

      def wait
        @finished.wait(@lock) unless @body
      end
    end

    class CheckingDownload < Download
      def wait
        @finished.wait(@lock) until @body
      end
    end

    def self.run(download)
      reader = Thread.new { download.body }
      download.finish("hello")
      SimulationBench.check(reader.value == "hello", "read #{reader.value.inspect}")
    end
  end

  model "spurious_wakeup", source: "classic", fault: "a return of wait taken for the event",
    needs: [:fault], stress: false, options: {faults: {spurious: 0.05}},
    buggy: ->(_sim) { SpuriousWakeup.run(SpuriousWakeup::Download.new) },
    fixed: ->(_sim) { SpuriousWakeup.run(SpuriousWakeup::CheckingDownload.new) }
end
