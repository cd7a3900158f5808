# frozen_string_literal: true

require_relative "http1/connection"

module Raffia
  class Server
    # The protocols of connections.
    #
    # @api private
    module Protocols
      # Classes of connections by the protocol's name in ALPN, the preferred one first.
      BY_NAME = {"http/1.1" => HTTP1::Connection}.freeze
      NAMES = BY_NAME.keys.freeze
      # For clients without TLS or ALPN.
      DEFAULT = HTTP1::Connection

      def self.of(io) = (io.respond_to?(:alpn_protocol) && BY_NAME[io.alpn_protocol]) || DEFAULT
    end
  end
end
