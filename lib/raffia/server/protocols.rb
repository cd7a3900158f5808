# frozen_string_literal: true

require_relative "http1/connection"
require_relative "http2/connection" if Raffia::Native.http2?

module Raffia
  class Server
    # The protocols of connections.
    #
    # @api private
    module Protocols
      # Classes of connections by the protocol's name in ALPN, the preferred one first.
      BY_NAME = {("h2" if Native.http2?) => (HTTP2::Connection if Native.http2?),
                 "http/1.1" => HTTP1::Connection}.compact.freeze
      # For clients without TLS or ALPN.
      DEFAULT = HTTP1::Connection

      # Whether a server with these options speaks HTTP/2.
      def self.http2?(options) = options.http2 && BY_NAME.key?("h2")

      # Names for ALPN.
      def self.names(http2) = http2 ? BY_NAME.keys : BY_NAME.keys - ["h2"]

      def self.of(io) = (io.respond_to?(:alpn_protocol) && BY_NAME[io.alpn_protocol]) || DEFAULT
    end
  end
end
