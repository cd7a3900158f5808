# frozen_string_literal: true

# Classic: mutual exclusion by a flag and sleep; two threads find the flag down. Fixed: a Mutex.
module SimulationBench
  module FlagSemaphore
    class Flag
      def initialize = @busy = false

      def synchronize
        sleep 0.0001 while busy?
        @busy = true
        yield
      ensure
        @busy = false
      end

      def busy? = @busy
    end

    class Printer
      def initialize = @users = []

      def print(user)
        @users.push(user)
        SimulationBench.check(@users.size == 1, "printed at once: #{@users.join(", ")}")
        @users.delete(user)
      end
    end

    def self.run(lock)
      printer = Printer.new
      threads = %w[one two].map do |user|
        Thread.new { lock.synchronize { printer.print(user) } }
      end
      threads.each(&:join)
    end
  end

  model "flag_semaphore", source: "classic", fault: "a flag and sleep for a lock",
    needs: [:preempt], buggy: ->(_sim) { FlagSemaphore.run(FlagSemaphore::Flag.new) },
    fixed: ->(_sim) { FlagSemaphore.run(Mutex.new) }
end
