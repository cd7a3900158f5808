# frozen_string_literal: true

module Raffia
  class Server
    class WebSocket
      # Answers the request for a WebSocket (RFC 6455, 4.2).
      #
      # @api private
      class Handshake
        VERSION = "13"
        KEY = %r{\A[A-Za-z0-9+/]{22}==\z}
        WEBSOCKET = "websocket"

        # HTTP/2 has extended CONNECT in place of the switch (RFC 8441).
        def self.connects?(env)
          env["REQUEST_METHOD"] == "CONNECT" &&
            Array(env["rack.protocol"]).any? { |name| WEBSOCKET.casecmp?(name) }
        end

        def self.asked?(env)
          return true if connects?(env)

          env["REQUEST_METHOD"] == "GET" &&
            env["HTTP_UPGRADE"].to_s.downcase.split(/\s*,\s*/).include?(WEBSOCKET) &&
            env["HTTP_CONNECTION"].to_s.downcase.split(/\s*,\s*/).include?("upgrade")
        end

        def initialize(env, origins)
          @env = env
          @origins = origins
        end

        # Returns a Rack response. Yields for the DriverAdapter and body of a valid request.
        def respond(headers)
          refusal = refused and return refusal

          driver, body = yield
          own = driver.headers.except("connection", "upgrade")
          own.delete("sec-websocket-accept") if connects?
          [101, headers.merge(own, "rack.protocol" => WEBSOCKET), body]
        end

        private

        def connects? = self.class.connects?(@env)

        def refused
          if !self.class.asked?(@env) then upgrade("this is the address of a WebSocket")
          elsif @env["HTTP_SEC_WEBSOCKET_VERSION"] != VERSION
            upgrade("the version of WebSockets must be #{VERSION}",
              "sec-websocket-version" => VERSION)
          elsif !connects? && !KEY.match?(@env["HTTP_SEC_WEBSOCKET_KEY"].to_s)
            text(400, "sec-websocket-key must be 16 bytes in base64")
          elsif !allowed_origin? then text(403, "no WebSocket for pages of #{@env["HTTP_ORIGIN"]}")
          elsif !switches? then text(501, "the server cannot switch protocols (rack.protocol)")
          end
        end

        # Browsers let any page open a WebSocket with the user's cookies, and send its origin. The
        # scheme is ignored, because it differs behind a TLS proxy. Browsers omit default ports in
        # both headers.
        def allowed_origin?
          origin = @env["HTTP_ORIGIN"]
          return true if origin.nil? || @origins == :any
          return @origins.include?(origin) if @origins

          host = origin.delete_prefix("https://").delete_prefix("http://")
          host.casecmp?(@env["HTTP_HOST"].to_s)
        end

        # RFC 6455, 4.2.1: names of protocols ignore case.
        def switches? = Array(@env["rack.protocol"]).any? { |name| WEBSOCKET.casecmp?(name) }

        def upgrade(reason, headers = {}) = text(426, reason, {"upgrade" => WEBSOCKET, **headers})

        def text(status, reason, headers = {})
          [status, {"content-type" => "text/plain; charset=utf-8", **headers}, ["#{reason}\n"]]
        end
      end
    end
  end
end
