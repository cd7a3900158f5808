# frozen_string_literal: true

require "ipaddr"

module Raffia
  class Server
    class Admission
      # Finds the client of a request, through proxies that are trusted. An IPv6 client is its /64
      # network, because it can use any address there.
      #
      # @api private
      class ClientAddress
        HEADERS = {x_forwarded_for: "HTTP_X_FORWARDED_FOR", forwarded: "HTTP_FORWARDED"}.freeze
        # Client of a header that a trusted proxy has filled with no address.
        UNKNOWN = "unknown"
        # Addresses, and values of the header, whose client is kept; longer ones are not. Clients
        # choose the values.
        KEPT = 1024
        LONGEST = 256
        # Bits before an address of IPv4 in one of IPv6.
        MAPPED = 96
        private_constant :HEADERS, :UNKNOWN, :KEPT, :LONGEST, :MAPPED

        # Raises ConfigError for text that is no address and no network.
        def initialize(trusted, header)
          @trusted = trusted.map { |text| network(text) }
          @header = HEADERS.fetch(header)
          @listed = {}
          @clients = {}
        end

        # Text that stands for the client; nil for a request of a trusted proxy itself, such as a
        # health check.
        def of(env)
          peer = env["REMOTE_ADDR"]
          return network_of(peer) if @trusted.empty? || !trusted?(peer)

          hops = env[@header] or return
          keep(@clients, hops) { client(hops) }
        end

        # The same for a connection; nil for one of a trusted proxy.
        def of_peer(address) = (network_of(address) unless trusted?(address))

        private

        # Addresses of IPv4 that are written as those of IPv6 become native, as the peers' do. A
        # network with others, too, stays one of IPv6.
        def network(text)
          parsed = ::IPAddr.new(text)
          (parsed.ipv4_mapped? && parsed.prefix >= MAPPED) ? parsed.native : parsed
        rescue ::IPAddr::Error
          raise ConfigError, "trusted_proxies #{text.inspect} is neither an address nor a " \
            "network: write one such as 10.0.0.0/8 or 192.0.2.1"
        end

        def trusted?(address)
          !@trusted.empty? && keep(@listed, address) { listed?(address) }
        end

        # Parsing an address takes some microseconds.
        def keep(table, key)
          return yield if key.bytesize > LONGEST

          table.clear if table.size >= KEPT
          table.fetch(key) { table[key] = yield }
        end

        def client(hops)
          hops.split(",").reverse_each do |hop|
            address = address(hop) or return UNKNOWN
            return network_of(address) unless trusted?(address)
          end
          nil
        end

        def listed?(address)
          parsed = parse(address)
          @trusted.any? { |network| network.include?(parsed) }
        rescue ::IPAddr::Error
          false
        end

        def network_of(address)
          return address unless address.include?(":")

          parsed = parse(address)
          parsed.ipv6? ? parsed.mask(64).to_s : parsed.to_s
        rescue ::IPAddr::Error
          UNKNOWN
        end

        # An IPv4 address may be written as one of IPv6 (::ffff:192.0.2.1): else all clients of IPv4
        # would be in one network.
        def parse(address) = ::IPAddr.new(address).native

        # An element of either header, without quotes, brackets and port; nil: no address.
        def address(hop)
          hop = hop[/(?:\A|;)\s*for=("[^"]*"|[^;\s]*)/i, 1].to_s.delete("\"") if
            @header == HEADERS[:forwarded]
          text = hop.strip
          text = text[/\A\[([\h:.]+)\]/, 1] || text[/\A([\d.]+):\d+\z/, 1] || text
          parse(text).to_s
        rescue ::IPAddr::Error
          nil
        end
      end
    end
  end
end
