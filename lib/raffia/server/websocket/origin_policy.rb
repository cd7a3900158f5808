# frozen_string_literal: true

module Raffia
  class Server
    class WebSocket
      # Decides whose pages may connect. Browsers let any page open a WebSocket to any server with
      # the user's cookies, and only send the page's origin.
      #
      # @api private
      module OriginPolicy
        module_function

        # @param origins [Array<String>, Symbol, nil] see {WebSocket.open}
        def allowed?(env, origins)
          origin = env["HTTP_ORIGIN"]
          return true if origin.nil? || origins == :any
          return origins.include?(origin) if origins

          # Without the scheme, which differs behind a proxy with TLS. Browsers omit the default
          # port in both headers.
          origin.delete_prefix("https://").delete_prefix("http://").casecmp?(env["HTTP_HOST"].to_s)
        end
      end
    end
  end
end
