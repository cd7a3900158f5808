# frozen_string_literal: true

require_relative "../connection"
require_relative "../protocols"

module Raffia
  class Server
    class Connection
      # A connection whose PROXY header and TLS handshake come first. They tell its protocol, so its
      # successor is a connection of that.
      #
      # @api private
      class Handshake < Connection
        private

        def serve
          io = @listener.handshake(@socket) { |address| @address = address } or return
          @successor = Protocols.of(io).new(@context, @socket, @listener, @address, io)
        end

        def linger? = false

        def close = (super unless successor)
      end
    end
  end
end
