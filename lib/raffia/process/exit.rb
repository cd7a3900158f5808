# frozen_string_literal: true

module Raffia
  module Process
    # How a process ended.
    #
    # pid:: Integer
    # signal:: String, nil: the name of the signal that ended it, such as "SIGKILL"
    # status:: Integer, nil: its exit status; nil after a signal, or when it was reaped elsewhere
    Exit = Data.define(:pid, :signal, :status) do
      # @param pid [Integer]
      # @param status [::Process::Status, nil] nil when it was reaped elsewhere
      # @return [Exit]
      def self.from(pid, status)
        signal = status&.termsig
        new(pid: pid, signal: signal &&
          "SIG#{Signal.signame(signal) || signal}", status: status&.exitstatus)
      end

      # @return [Boolean] whether it ended as a worker should
      def clean? = signal.nil? && (status.nil? || status.zero?)
    end
  end
end
