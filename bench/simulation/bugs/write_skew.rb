# frozen_string_literal: true

# Classic: two doctors go off duty, each under the lock of the own record and after a look at the
# other's. Both see one left. Fixed: one lock for the rule.
module SimulationBench
  module WriteSkew
    class Ward
      def initialize
        @locks = {ann: Mutex.new, bob: Mutex.new}
        @on_duty = {ann: true, bob: true}
      end

      def leave(doctor)
        lock(doctor).synchronize { @on_duty.store(doctor, false) if enough? }
      end

      def staffed? = @on_duty.value?(true)

      private

      def lock(doctor) = @locks.fetch(doctor)

      def enough? = @on_duty.values.count(true) > 1
    end

    class LockedWard < Ward
      def lock(_doctor) = @locks.fetch(:ann)
    end

    def self.run(ward)
      %i[ann bob].map { |doctor| Thread.new { ward.leave(doctor) } }.each(&:join)
      SimulationBench.check(ward.staffed?, "no doctor is on duty")
    end
  end

  model "write_skew", source: "classic", fault: "a rule over two records, a lock for each",
    needs: [:preempt], buggy: ->(_sim) { WriteSkew.run(WriteSkew::Ward.new) },
    fixed: ->(_sim) { WriteSkew.run(WriteSkew::LockedWard.new) }
end
