# frozen_string_literal: true

# shoryuken#1024: a hard stop kills the workers and waits for them while it holds the lock that
# their ensure clauses need. Fixed: wait without the lock.
module SimulationBench
  module ShoryukenHardStop
    class Manager
      def initialize
        @lock = Mutex.new
        @busy = {}
      end

      def dispatch(message)
        Thread.new do
          register(message)
          message.to_s
        ensure
          @lock.synchronize { @busy.delete(message) }
        end
      end

      def stop = @lock.synchronize { kill }

      private

      def register(message) = @lock.synchronize { @busy.store(message, Thread.current) }

      def kill = @busy.values.each(&:kill).each(&:join)
    end

    class PatientManager < Manager
      def stop = @lock.synchronize { @busy.values }.each(&:kill).each(&:join)
    end

    def self.run(manager)
      worker = manager.dispatch(:message)
      Thread.pass
      manager.stop
      worker.join
    end
  end

  model "shoryuken_hard_stop", source: "shoryuken#1024",
    fault: "joins killed workers under their lock",
    needs: [:interrupt], buggy: ->(_sim) { ShoryukenHardStop.run(ShoryukenHardStop::Manager.new) },
    fixed: ->(_sim) { ShoryukenHardStop.run(ShoryukenHardStop::PatientManager.new) }
end
