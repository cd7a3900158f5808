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
    # `watchdog` is in seconds. `inherited` has the names of systemd's sockets, by descriptor.
    #
    # @api private
    Config = ::Data.define(:environment, :inherited, :notify_socket, :watchdog) do
      def self.load(variables = Raffia::Config.variables)
        new(environment: variables.string("RAFFIA_ENV", "RACK_ENV", "RAILS_ENV"),
          inherited: inherited(variables), notify_socket: variables.string("NOTIFY_SOCKET"),
          watchdog: watchdog(variables))
      end

      # See sd_watchdog_enabled(3).
      def self.watchdog(variables)
        microseconds = variables.string("WATCHDOG_USEC").to_i
        ours = [nil, ::Process.pid.to_s].include?(variables.string("WATCHDOG_PID"))
        microseconds / 1e6 if microseconds.positive? && ours
      end
      private_class_method :watchdog

      # See sd_listen_fds(3): descriptors begin at 3.
      def self.inherited(variables)
        return {}.freeze unless variables.string("LISTEN_PID") == ::Process.pid.to_s

        names = variables.string("LISTEN_FDNAMES").to_s.split(":")
        count = variables.string("LISTEN_FDS").to_i
        Array.new(count) { |index| [3 + index, (names[index] || "unknown").dup.freeze] }.to_h.freeze
      end
      private_class_method :inherited
    end

    class Config
      # Variables of systemd that a successor of this process gets as well.
      def self.systemd(variables = Raffia::Config.variables)
        {"NOTIFY_SOCKET" => variables.string("NOTIFY_SOCKET"), "LISTEN_PID" => nil,
         "WATCHDOG_USEC" => variables.string("WATCHDOG_USEC"), "WATCHDOG_PID" => nil}
      end

      # Variables for the process that systemd has started, and no other.
      SYSTEMD = %w[LISTEN_PID LISTEN_FDS LISTEN_FDNAMES NOTIFY_SOCKET WATCHDOG_USEC
        WATCHDOG_PID].freeze
    end
  end
end
