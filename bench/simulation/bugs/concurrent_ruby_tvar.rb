# frozen_string_literal: true

# concurrent-ruby#885, #886: a transaction locks a variable, finds that it has changed since it was
# read, and aborts; the variable was not yet in the write log, so abort does not unlock it. Fixed:
# enter it first.
module SimulationBench
  module ConcurrentRubyTvar
    class TVar
      attr_reader :lock
      attr_accessor :value, :version

      def initialize
        @lock = Mutex.new
        @value = @version = 0
      end
    end

    class Transaction
      def initialize = @write_log = {}

      def increment(tvar)
        version = read(tvar)
        catch(:abort) do
          lock(tvar, version)
          tvar.value += 1
          tvar.version += 1
        end
        @write_log.each_key { |locked| locked.lock.unlock }
      end

      private

      def read(tvar) = tvar.version

      def lock(tvar, version)
        throw :abort unless tvar.lock.try_lock

        validate(tvar, version)
        @write_log.store(tvar, true)
      end

      def validate(tvar, version) = tvar.version == version || throw(:abort)
    end

    class LoggingTransaction < Transaction
      def validate(tvar, version)
        @write_log.store(tvar, true)
        super
      end
    end

    def self.run(type)
      tvar = TVar.new
      Array.new(2) { Thread.new { type.new.increment(tvar) } }.each(&:value)
      SimulationBench.check(!tvar.lock.locked?, "no transaction runs, but the variable is locked")
    end
  end

  model "concurrent_ruby_tvar", source: "concurrent-ruby#885",
    fault: "abort leaves a variable locked",
    needs: [:preempt], buggy: ->(_sim) { ConcurrentRubyTvar.run(ConcurrentRubyTvar::Transaction) },
    fixed: ->(_sim) { ConcurrentRubyTvar.run(ConcurrentRubyTvar::LoggingTransaction) }
end
