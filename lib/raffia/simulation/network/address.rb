# frozen_string_literal: true

require "socket"

module Raffia
  module Simulation
    class Network
      # An IP address and a port of a simulated host.
      #
      # @api private
      Address = ::Data.define(:ip, :port) do
        # +value+: a packed address of the kernel, or an Addrinfo. Nil if it is no IP address.
        def self.of(value)
          info = value.is_a?(::Addrinfo) ? value : ::Addrinfo.new(value)
          new(info.ip_address, info.ip_port) if info.ip?
        end

        def loopback? = ip.start_with?("127.") || ip == "::1"

        def any? = ip == "0.0.0.0" || ip == "::"

        # In the form of IPSocket#addr.
        def to_a = [ip.include?(":") ? "AF_INET6" : "AF_INET", port, ip, ip]

        def sockaddr = ::Socket.sockaddr_in(port, ip)

        def addrinfo(type = :tcp) = ::Addrinfo.public_send(type, ip, port)

        def to_s = "#{ip}:#{port}"
      end
    end
  end
end
