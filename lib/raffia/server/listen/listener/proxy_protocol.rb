# frozen_string_literal: true

require "ipaddr"
require "socket"

module Raffia
  class Server
    module Listen
      class Listener
        # Reads the PROXY header, version 1 or 2, in which a load balancer names its client. Reads
        # no byte more, because TLS may follow.
        #
        # @api private
        class ProxyProtocol
          SIGNATURE = "\r\n\r\n\0\r\nQUIT\n".b.freeze
          # Bytes of a line of version 1, and of a header of version 2: 536 fit into a first
          # segment.
          LINE_LIMIT = 107
          BINARY_LIMIT = 536
          # Bytes of an address, by family in version 2.
          ADDRESS_BYTES = {0x11 => 4, 0x21 => 16}.freeze
          FAMILY = {"TCP4" => ::Socket::AF_INET, "TCP6" => ::Socket::AF_INET6}.freeze
          PORT = /\A\d{1,5}\z/
          ADDRESS = /\A[\h.:]+\z/
          private_constant :SIGNATURE, :LINE_LIMIT, :BINARY_LIMIT, :ADDRESS_BYTES, :FAMILY, :PORT,
            :ADDRESS

          class Malformed < StandardError
          end

          # `timeout`: seconds in all. Nil: the proxy itself, or an unknown client.
          def self.read(socket, timeout) = new(socket, Clock.now + timeout).read

          def initialize(socket, finish)
            @socket = socket
            @finish = finish
          end

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
            raise Malformed, "#{length} bytes" if length > BINARY_LIMIT

            rest = take(length)
            return if version & 0xf == 0 || !ADDRESS_BYTES.key?(family)

            ::IPAddr.new_ntoh(rest.byteslice(0, ADDRESS_BYTES[family])).to_s
          end

          def line(text)
            text << take_line(LINE_LIMIT - text.bytesize) until text.end_with?("\n")
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

          # IPAddr would also accept networks, interfaces and brackets.
          def address(text, family)
            raise Malformed, text.inspect unless ADDRESS.match?(text)

            ::IPAddr.new(text, FAMILY[family]).to_s
          end

          # Peeks, and takes no more than the line.
          def take_line(most)
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
            # At the end Ruby 3.3 returns nil, and earlier ones an empty String.
            raise EOFError if bytes.nil? || bytes.empty?

            bytes
          end
        end
        private_constant :ProxyProtocol
      end
    end
  end
end
