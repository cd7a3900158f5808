# frozen_string_literal: true

require_relative "../base/config"

module Raffia
  module Service
    # Variables of a service.
    #
    # | variable                               | values                             | default     |
    # |----------------------------------------|------------------------------------|-------------|
    # | RAFFIA_ENV, RACK_ENV, RAILS_ENV        | the environment of an application  | development |
    # | NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID | by systemd: whom to tell, how often |        |
    # | LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES | by systemd: sockets handed in      |             |
    #
    # @!attribute [r] environment
    #   @return [String, nil]
    # @!attribute [r] inherited
    #   @return [Hash{Integer => String}] names of sockets that systemd has handed in, by descriptor
    # @!attribute [r] notify_socket
    #   @return [String, nil]
    # @!attribute [r] watchdog
    #   @return [Float, nil] seconds within which systemd wants a sign of life
    Config = ::Data.define(:environment, :inherited, :notify_socket, :watchdog) do
      # @return [Config]
      def self.load(variables = Raffia::Config.variables)
        new(environment: variables.string("RAFFIA_ENV", "RACK_ENV", "RAILS_ENV"),
          inherited: inherited(variables), notify_socket: variables.string("NOTIFY_SOCKET"),
          watchdog: watchdog(variables))
      end

      # As sd_watchdog_enabled(3) has it: a pid that is named must be ours.
      def self.watchdog(variables)
        microseconds = variables.string("WATCHDOG_USEC").to_i
        ours = [nil, ::Process.pid.to_s].include?(variables.string("WATCHDOG_PID"))
        microseconds / 1e6 if microseconds.positive? && ours
      end
      private_class_method :watchdog

      # As sd_listen_fds(3) has it: the descriptors begin at 3, for the process whose pid is named.
      def self.inherited(variables)
        return {}.freeze unless variables.string("LISTEN_PID") == ::Process.pid.to_s

        names = variables.string("LISTEN_FDNAMES").to_s.split(":")
        count = variables.string("LISTEN_FDS").to_i
        Array.new(count) { |index| [3 + index, (names[index] || "unknown").dup.freeze] }.to_h.freeze
      end
      private_class_method :inherited
    end

    class Config
      # What systemd says to the process that it has started, and to no other.
      SYSTEMD = %w[LISTEN_PID LISTEN_FDS LISTEN_FDNAMES NOTIFY_SOCKET WATCHDOG_USEC
        WATCHDOG_PID].freeze
    end
  end
end
