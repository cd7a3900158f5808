# frozen_string_literal: true

require "json"
require "socket"

module Raffia
  module Process
    class Supervisor
      # Exchanges messages between the supervisor and one of its processes: a name, JSON data, and
      # descriptors. Not by Marshal: a supervisor may have more rights than its workers, and must
      # not build any object that they name.
      #
      # The kernel keeps messages apart, so several threads may send. Sending never waits.
      #
      # @api private
      class MessageChannel
        LIMIT = 65_536

        def self.pair = UNIXSocket.pair(:SEQPACKET).map { |socket| new(socket) }

        def initialize(socket)
          @socket = socket
        end

        def to_io = @socket

        # False when the other side is gone, or has too much to read already. Raises ArgumentError
        # for a message that is too long.
        def send(name, data = nil, ios = [])
          text = JSON.generate([name, data])
          if text.bytesize > LIMIT
            raise ArgumentError, "a message of #{text.bytesize} bytes is too long, #{LIMIT} is " \
              "the limit"
          end

          rights = ios.empty? ? [] : [Socket::AncillaryData.unix_rights(*ios)]
          @socket.sendmsg_nonblock(text, Socket::MSG_NOSIGNAL, nil, *rights, exception: false) !=
            :wait_writable
        rescue SystemCallError, IOError
          false
        end

        # Waits for the next message: name, data and IOs; nil when the other side is gone.
        def receive = take { @socket.recvmsg(LIMIT, scm_rights: true) }

        # Like {receive}; :none when there is no message now.
        def receive_now
          take { @socket.recvmsg_nonblock(LIMIT, scm_rights: true, exception: false) }
        end

        def close = @socket.close

        def closed? = @socket.closed?

        private

        def take
          text, _, _, *rights = yield
          return :none if text == :wait_readable
          return if text.nil? || text.empty?

          name, data = parse(text)
          [name.to_s, data, rights.flat_map { |right| right.unix_rights || [] }]
        rescue Errno::ECONNRESET
          # The kernel says once that the other side has closed without reading all. Its own
          # messages are still to come.
          retry
        rescue SystemCallError, IOError
          nil
        end

        # Anything else becomes a message without a handler.
        def parse(text)
          message = JSON.parse(text)
          message.is_a?(Array) ? message : []
        rescue JSON::ParserError
          []
        end
      end
    end
  end
end
