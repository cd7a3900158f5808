# frozen_string_literal: true

require_relative "../../native"

module Raffia
  class Pool
    class Auto
      # The time of the current thread so far, by kinds: only differences mean something. Without
      # the extension Ruby's lock is not measured, and C code counts as Ruby code.
      module ThreadTime
        WATCHES = Native.respond_to?(:measure_gvl)

        class << self
          def watch
            Native.measure_gvl(true) if WATCHES
            yield
          ensure
            Native.measure_gvl(false) if WATCHES
          end

          if defined?(::Process::CLOCK_THREAD_CPUTIME_ID)
            def cpu = ::Process.clock_gettime(::Process::CLOCK_THREAD_CPUTIME_ID)
          else
            def cpu
              ::Java::JavaLangManagement::ManagementFactory.thread_mx_bean
                .current_thread_cpu_time / 1e9
            end
          end

          # Seconds without Ruby's lock, by the clock and of CPU.
          def off_lock = WATCHES ? Native.time_without_gvl : [0.0, 0.0]

          # Seconds in which it was ready to run, and others had the processors.
          def run_delay = WATCHES ? Native.run_delay : 0.0
        end
      end
    end
  end
end
