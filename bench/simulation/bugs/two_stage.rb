# frozen_string_literal: true

# SCTBench's twostage: a change is made in two stages, each under its lock; a reader that runs
# between them sees one without the other. Fixed: the second lock is taken within the first.
module SimulationBench
  module TwoStage
    class Record
      def initialize
        @name_lock = Mutex.new
        @index_lock = Mutex.new
        @name = nil
        @index = nil
      end

      def save
        @name_lock.synchronize { @name = "ann" }
        @index_lock.synchronize { @index = "a" }
      end

      def read
        @name_lock.synchronize { @index_lock.synchronize { [@name, @index] } }
      end
    end

    class NestedRecord < Record
      def save
        @name_lock.synchronize do
          @name = "ann"
          @index_lock.synchronize { @index = "a" }
        end
      end
    end

    def self.run(record)
      reader = Thread.new { record.read }
      record.save
      pair = reader.value
      SimulationBench.check([[nil, nil], ["ann", "a"]].include?(pair), "half saved: #{pair}")
    end
  end

  model "two_stage", source: "SCTBench twostage", fault: "one change under two locks in turn",
    needs: [:preempt], buggy: ->(_sim) { TwoStage.run(TwoStage::Record.new) },
    fixed: ->(_sim) { TwoStage.run(TwoStage::NestedRecord.new) }
end
