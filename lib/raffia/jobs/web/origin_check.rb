# frozen_string_literal: true

module Raffia
  module Jobs
    class Web
      # Protects changes from cross-site requests: only the dashboard's own pages may ask for one.
      # @api private
      module OriginCheck
        PORTS = {"http" => ":80", "https" => ":443"}.freeze
        REFUSAL = "This change was asked for by another site's page, or the browser does not say " \
          "whose. A proxy must forward the Host that the browser has asked for. Programs send " \
          "`content-type: application/json`."

        module_function

        # Browsers send Sec-Fetch-Site over HTTPS and to localhost, otherwise Origin. A client
        # without both is a program: it must send a content type that other sites' forms cannot
        # send.
        def same_origin?(request)
          env = request.env
          site = env["HTTP_SEC_FETCH_SITE"]
          return site == "same-origin" if site
          if env["HTTP_ORIGIN"]
            return same_authority?(env["HTTP_ORIGIN"].b, env["HTTP_HOST"].to_s.b)
          end

          request.json?
        end

        def same_authority?(origin, host)
          scheme, authority = origin.downcase.split("://", 2)
          return false unless authority && (port = PORTS[scheme])

          authority.delete_suffix(port) == host.downcase.delete_suffix(port)
        end
      end
    end
  end
end
