# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # The worker process as its lease monitor sees it.
        # @api private
        class WorkerProcess
          SUSPENDED = %w[T t].freeze
          GONE = [nil, "Z", "X"].freeze
          # Fields of /proc/PID/stat, counted from the one after the name.
          STATE = 0
          USER_TIME = 11
          SYSTEM_TIME = 12
          private_constant :SUSPENDED, :GONE, :STATE, :USER_TIME, :SYSTEM_TIME

          attr_reader :pid

          # Liveness may be nil; that of a supervised worker also answers `stop_reason` and
          # `supervisor`.
          def initialize(pid, liveness, lenient)
            @pid = pid
            @liveness = liveness
            @lenient = lenient
            @supervisor = liveness.supervisor if liveness.respond_to?(:supervisor)
          end

          def alive? = ::Process.ppid == @pid

          # It is not suspended, by SIGSTOP or a debugger.
          def running? = !SUSPENDED.include?(stat(@pid)&.fetch(STATE))

          # Beats for the worker if it uses the processor.
          def report_progress
            used = stat(@pid)&.values_at(USER_TIME, SYSTEM_TIME)
            @liveness.beat if @lenient && @supervisor && @used && used != @used
            @used = used
          end

          def hung? = !@supervisor.nil? && @liveness.stop_reason == :hung

          # Its supervisor ended it, or has ended too.
          def dismissed?
            return false unless @supervisor

            @liveness.stop_reason == :dismissed || GONE.include?(stat(@supervisor)&.fetch(STATE))
          end

          private

          # Nil when there is no such process.
          def stat(pid)
            File.read("/proc/#{pid}/stat").rpartition(")").last.split
          rescue SystemCallError
            nil
          end
        end
      end
    end
  end
end
