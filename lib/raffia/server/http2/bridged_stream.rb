# frozen_string_literal: true

require_relative "bridge"

module Raffia
  class Server
    module HTTP2
      # Extends the stream of a WebSocket whose application may take a socket.
      #
      # @api private
      module BridgedStream
        # Proves a switch of protocols by HTTP/1.1.
        ACCEPT = "sec-websocket-accept"
        private_constant :ACCEPT

        # Returns the {Bridge}.
        def bridge = @bridge ||= Bridge.new(self)

        # A WebSocket of HTTP/1.1 has none.
        def body? = false

        def begin_raw(status, headers, protocol = nil)
          super(status, headers.reject { |name, _| name.to_s.casecmp?(ACCEPT) }, protocol)
        end

        # An application that uses {WebSocket} needs no socket of its own.
        def hijack = @tunnel || bridge.socket
      end
    end
  end
end
