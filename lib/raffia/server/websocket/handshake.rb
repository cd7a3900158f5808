# frozen_string_literal: true

module Raffia
  class Server
    class WebSocket
      # Answers the request for a WebSocket (RFC 6455, 4.2).
      #
      # @api private
      class Handshake
        VERSION = "13"
        # 16 bytes in base64.
        KEY = %r{\A[A-Za-z0-9+/]{22}==\z}
        WEBSOCKET = "websocket"

        def self.asked?(env)
          env["REQUEST_METHOD"] == "GET" &&
            env["HTTP_UPGRADE"].to_s.downcase.split(/\s*,\s*/).include?(WEBSOCKET) &&
            env["HTTP_CONNECTION"].to_s.downcase.split(/\s*,\s*/).include?("upgrade")
        end

        def initialize(env, protocols:, origins:)
          @env = env
          @origins = origins
        end

        # @yieldreturn [Array(DriverAdapter, #call)] called only for a valid request
        # @return [Array] a Rack response
        def respond(headers)
          refusal = refused and return refusal

          protocol, body = yield
          [101,
            headers.merge(protocol.headers.except("connection", "upgrade"),
              "rack.protocol" => WEBSOCKET), body]
        end

        private

        def refused
          if !self.class.asked?(@env) then answer(426, "this is the address of a WebSocket",
            "upgrade" => WEBSOCKET)
          elsif @env["HTTP_SEC_WEBSOCKET_VERSION"] != VERSION
            answer(426, "the version of WebSockets must be #{VERSION}", "upgrade" => WEBSOCKET,
              "sec-websocket-version" => VERSION)
          elsif !KEY.match?(@env["HTTP_SEC_WEBSOCKET_KEY"].to_s) then answer(400,
            "sec-websocket-key must be 16 bytes in base64")
          elsif !OriginPolicy.allowed?(@env, @origins) then answer(403,
            "no WebSocket for pages of #{@env["HTTP_ORIGIN"]}")
          elsif !switches? then answer(501, "the server cannot switch protocols (rack.protocol)")
          end
        end

        # Protocol names ignore case: RFC 6455, 4.2.1.
        def switches? = Array(@env["rack.protocol"]).any? { |name| WEBSOCKET.casecmp?(name) }

        def answer(status, text, headers = {})
          [status, {"content-type" => "text/plain; charset=utf-8"}.merge(headers), ["#{text}\n"]]
        end
      end
    end
  end
end
