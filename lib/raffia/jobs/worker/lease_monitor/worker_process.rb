# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # The worker process as its lease monitor sees it.
        #
        # @api private
        class WorkerProcess
          SUSPENDED = %w[T t].freeze
          GONE = [nil, "Z", "X"].freeze
          # Fields of /proc/PID/stat, counted from the one after the name.
          STATE = 0
          USER_TIME = 11
          SYSTEM_TIME = 12
          private_constant :SUSPENDED, :GONE, :STATE, :USER_TIME, :SYSTEM_TIME

          # @return [Integer]
          attr_reader :pid

          # @param pid [Integer] of this process's parent
          # @param heart [#beat, nil] of a supervised worker also `stop_reason` and `supervisor`
          # @param lenient [Boolean] whether use of the processor counts as progress
          def initialize(pid, heart, lenient)
            @pid = pid
            @heart = heart
            @lenient = lenient
            @supervisor = heart.supervisor if heart.respond_to?(:supervisor)
          end

          # @return [Boolean]
          def alive? = ::Process.ppid == @pid

          # @return [Boolean] whether it is not suspended, by SIGSTOP or a debugger
          def running? = !SUSPENDED.include?(stat(@pid)&.fetch(STATE))

          # Beats for the worker if it uses the processor.
          # @return [void]
          def report_progress
            used = stat(@pid)&.values_at(USER_TIME, SYSTEM_TIME)
            @heart.beat if @lenient && @supervisor && @used && used != @used
            @used = used
          end

          # @return [Boolean] whether its supervisor killed it because it hung
          def hung? = !@supervisor.nil? && @heart.stop_reason == :hung

          # @return [Boolean] whether its supervisor ended it, or has ended too
          def dismissed?
            !@supervisor.nil? &&
              (@heart.stop_reason == :dismissed || GONE.include?(stat(@supervisor)&.fetch(STATE)))
          end

          private

          # @return [Array<String>, nil] nil when there is no such process
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
