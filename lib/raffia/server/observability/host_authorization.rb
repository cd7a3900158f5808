# frozen_string_literal: true

require "ipaddr"
require_relative "../listen/bind"

module Raffia
  class Server
    module Observability
      # Answers only requests whose Host is an address or localhost. Else a foreign page could
      # resolve its own name to this machine and read the responses (DNS rebinding).
      #
      # @api private
      class HostAuthorization
        LOCAL = /\A(?:|(?:[\w-]+\.)*localhost|[\d.]+|\[[\h:.]+\])(?::\d+)?\z/i
        REFUSED = [403, {"content-type" => "text/plain"}.freeze,
          ["ask for localhost\n"].freeze].freeze
        private_constant :LOCAL, :REFUSED

        # Leaves out applications that other machines can reach.
        def self.around(app, address) = loopback?(Listen::Bind.parse(address).host) ? new(app) : app

        def self.loopback?(host)
          host == "localhost" || (host&.match?(/\A[\h.:]+\z/) && ::IPAddr.new(host).loopback?)
        end
        private_class_method :loopback?

        def initialize(app)
          @app = app
        end

        def call(env)
          return @app.call(env) if LOCAL.match?(env["HTTP_HOST"].to_s)

          status, headers, body = REFUSED
          [status, headers.dup, body]
        end
      end
    end
  end
end
