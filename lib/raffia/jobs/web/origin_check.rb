# frozen_string_literal: true

module Raffia
  module Jobs
    class Web
      # Whether a change is asked for by one of our own pages, and not by somebody else's in the
      # browser of a person who may.
      # @api private
      module OriginCheck
        # Default ports, which neither Origin nor Host need say.
        PORTS = {"http" => ":80", "https" => ":443"}.freeze
        REFUSAL = "This change was asked for by another site's page, or the browser does not say " \
        "whose. Behind a proxy: it must " \
          "hand on the Host that the browser has asked for. Programs say `content-type: " \
          "application/json`."

        module_function

        # All browsers of today say Sec-Fetch-Site over HTTPS and to localhost, and Origin
        # otherwise. What says neither is a program; it has to send what no page can make a browser
        # send unasked.
        # @param request [Request]
        def same_origin?(request)
          env = request.env
          site = env["HTTP_SEC_FETCH_SITE"]
          return site == "same-origin" if site
          return same?(env["HTTP_ORIGIN"].b, env["HTTP_HOST"].to_s.b) if env["HTTP_ORIGIN"]

          request.json?
        end

        # @return [Boolean]
        def same?(origin, host)
          scheme, authority = origin.downcase.split("://", 2)
          return false unless authority && (port = PORTS[scheme])

          authority.delete_suffix(port) == host.downcase.delete_suffix(port)
        end
      end
    end
  end
end
