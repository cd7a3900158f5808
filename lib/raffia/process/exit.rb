# frozen_string_literal: true

module Raffia
  module Process
    # How a process ended.
    #
    # @!attribute [r] pid
    #   @return [Integer]
    # @!attribute [r] signal
    #   @return [String, nil] the name of the signal that ended it, such as "SIGKILL"
    # @!attribute [r] status
    #   @return [Integer, nil] its exit status when no signal ended it; nil too when it was reaped
    #   elsewhere
    Exit = Data.define(:pid, :signal, :status) do
      # @param pid [Integer]
      # @param status [::Process::Status, nil] nil when it was reaped elsewhere
      # @return [Exit]
      def self.from(pid, status)
        signal = status&.termsig
        new(pid: pid, signal: signal &&
          "SIG#{Signal.signame(signal) || signal}", status: status&.exitstatus)
      end

      # @return [Boolean] whether it ended as a worker does that was told to
      def clean? = signal.nil? && (status.nil? || status.zero?)
    end
  end
end
