# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      class LeaseMonitor
        # The worker process, seen from its monitor.
        #
        # @api private
        class Subject
          STOPPED = %w[T t].freeze
          GONE = [nil, "Z", "X"].freeze
          # In what follows the name in /proc/PID/stat.
          STATE = 0
          USER_TIME = 11
          SYSTEM_TIME = 12
          private_constant :STOPPED, :GONE, :STATE, :USER_TIME, :SYSTEM_TIME

          # @return [Integer]
          attr_reader :pid

          # @param pid [Integer] of this process's parent
          # @param lenient [Boolean]
          # @param heart [#beat, nil] of a supervised worker also `wish` and `supervisor`
          def initialize(pid, heart, lenient)
            @pid = pid
            @heart = heart
            @lenient = lenient
            @supervisor = heart.supervisor if heart.respond_to?(:supervisor)
          end

          # @return [Boolean]
          def alive? = ::Process.ppid == @pid

          # @return [Boolean] whether it is not stopped, by SIGSTOP or a debugger
          def running? = !STOPPED.include?(stat(@pid)&.fetch(STATE))

          # Tells the worker's supervisor when the worker uses the processor.
          # @return [void]
          def progress
            used = stat(@pid)&.values_at(USER_TIME, SYSTEM_TIME)
            @heart.beat if @lenient && @supervisor && @used && used != @used
            @used = used
          end

          # @return [Boolean] whether it was killed because it hung
          def hung? = !@supervisor.nil? && @heart.wish == :hung

          # @return [Boolean] whether its end was its supervisor's wish, or that has ended, too
          def dismissed?
            !@supervisor.nil? &&
              (@heart.wish == :dismissed || GONE.include?(stat(@supervisor)&.fetch(STATE)))
          end

          private

          # @return [Array<String>, nil] nil where there is no such process
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
