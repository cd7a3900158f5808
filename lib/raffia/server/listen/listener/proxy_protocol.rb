# frozen_string_literal: true

require "ipaddr"
require "socket"
require_relative "../../../base/clock"

module Raffia
  class Server
    module Listen
      class Listener
        # The PROXY protocol, versions 1 and 2: a load balancer says who its client is, before the
        # client's own bytes. Exactly these bytes are taken from the socket, because TLS may come
        # next.
        #
        # @api private
        class ProxyProtocol
          # How version 2 begins.
          SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".b.freeze
          # The longest line of version 1, its end included; version 2 says its length, and 536
          # bytes always fit in a first segment.
          LINE = 107
          MOST = 536
          # Bytes of an address, by the family that version 2 names.
          FAMILIES = {0x11 => 4, 0x21 => 16}.freeze
          # As version 1 writes them.
          FAMILY = {"TCP4" => ::Socket::AF_INET, "TCP6" => ::Socket::AF_INET6}.freeze
          PORT = /\A\d{1,5}\z/
          ADDRESS = /\A[\h.:]+\z/
          private_constant :SIGNATURE, :LINE, :MOST, :FAMILIES, :FAMILY, :PORT, :ADDRESS

          # What is not as it should be.
          class Malformed < StandardError
          end

          # @param socket [BasicSocket]
          # @param patience [Numeric] seconds for all of it
          # @return [String, nil] the client's address; nil where the proxy speaks for itself, or
          #   does not know
          # @raise [Malformed] when this is no proxy
          def self.read(socket, patience) = new(socket, Clock.now + patience).read

          def initialize(socket, finish)
            @socket = socket
            @finish = finish
          end

          # @return [String, nil]
          def read
            beginning = take(SIGNATURE.bytesize)
            (beginning == SIGNATURE) ? binary : line(beginning)
          rescue SystemCallError, EOFError, ::IPAddr::Error => error
            raise Malformed, error.message
          end

          private

          def binary
            version, family, length = take(4).unpack("CCn")
            raise Malformed, "version #{version >> 4}" unless version >> 4 == 2
            raise Malformed, "#{length} bytes" if length > MOST

            rest = take(length)
            return if version & 0xf == 0 || !FAMILIES.key?(family)

            ::IPAddr.new_ntoh(rest.byteslice(0, FAMILIES[family])).to_s
          end

          def line(text)
            text << up_to_the_end(LINE - text.bytesize) until text.end_with?("\n")
            word, family, *rest = text.chomp("\r\n").split(" ", -1)
            raise Malformed, text.inspect unless word == "PROXY" && text.end_with?("\r\n")

            (family == "UNKNOWN") ? nil : client(family, rest)
          end

          def client(family, rest)
            *addresses, port, port_here = rest
            raise Malformed, rest.inspect unless FAMILY.key?(family) && addresses.size == 2
            raise Malformed, rest.inspect unless [port, port_here].all? { |number| port?(number) }

            addresses.map { |address| address(address, family) }.first
          end

          def port?(text) = PORT.match?(text.to_s) && text.to_i < 65_536

          # IPAddr takes networks, names of interfaces and brackets as well.
          def address(text, family)
            raise Malformed, text.inspect unless ADDRESS.match?(text)

            ::IPAddr.new(text, FAMILY[family]).to_s
          end

          # All that is there belongs to the line, if its end is not.
          def up_to_the_end(most)
            raise Malformed, "a line without an end" unless most.positive?

            ready = wait { @socket.recv_nonblock(most, ::Socket::MSG_PEEK, exception: false) }
            take(ready.index("\n")&.succ || ready.bytesize)
          end

          def take(count)
            text = "".b
            text <<
              wait {
                @socket.recv_nonblock(count - text.bytesize, exception: false)
              } while text.bytesize < count
            text
          end

          def wait
            while (bytes = yield) == :wait_readable
              left = @finish - Clock.now
              unless left.positive? && @socket.wait_readable(left)
                raise Malformed, "it takes too long"
              end
            end
            # In Ruby 3.3 and later there is nil at the end, and before it the empty string was.
            raise EOFError if bytes.nil? || bytes.empty?

            bytes
          end
        end
        private_constant :ProxyProtocol
      end
    end
  end
end
