# frozen_string_literal: true

require "digest"
require "ipaddr"
require_relative "response"

module Raffia
  module Jobs
    class Web
      # Policies that decide which requests are allowed: `refusal(env)` is a response, or nil.
      # @api private
      module Access
        # Raises ConfigError for settings that would lock out everybody, or admit the wrong people.
        def self.of(auth, user, password)
          if auth && (user || password)
            raise ConfigError, "say auth:, or user: and password:, not both"
          end
          return PasswordPolicy.new(user, password) if user || password
          return LoopbackPolicy.new if auth.nil?
          return OpenPolicy.new if auth == :none
          return CallbackPolicy.new(auth) if auth.respond_to?(:call)

          raise ConfigError, "auth: #{auth.inspect} is none: use a block that is called with " \
            "each env, or :none"
        end

        # Allows all requests, because the surrounding application decides.
        class OpenPolicy
          def refusal(_env) = nil
        end

        # Asks a callback of the application.
        class CallbackPolicy
          def initialize(ask) = @ask = ask

          def refusal(env) = @ask.call(env) ? nil : Response.text(403, "You may not see the jobs.")
        end

        # HTTP basic authentication. Compares all bytes of digests, so that the time reveals
        # nothing.
        class PasswordPolicy
          REALM = {"www-authenticate" => 'Basic realm="Jobs", charset="UTF-8"'}.freeze

          def initialize(user, password)
            if user.to_s.empty? || password.to_s.empty?
              raise ConfigError, "both user: and password: are needed, and neither may be empty"
            end
            if user.to_s.include?(":")
              raise ConfigError, "the user #{user.inspect} cannot have a colon in its name: HTTP " \
                "ends it there"
            end

            @digest = Digest::SHA256.digest("#{user}:#{password}")
          end

          def refusal(env)
            return if authorized?(env["HTTP_AUTHORIZATION"].to_s.b)

            Response.text(401, "Who are you?", REALM)
          end

          def inspect = "#<#{self.class}>"

          private

          def authorized?(header)
            scheme, credentials = header.split(" ", 2)
            return false unless scheme&.casecmp?("basic") && credentials

            given = Digest::SHA256.digest(credentials.unpack1("m"))
            @digest.bytes.zip(given.bytes)
              .reduce(0) { |different, (ours, theirs)| different | (ours ^ theirs) }.zero?
          end
        end

        # Allows requests from this machine to one of its own names. It refuses requests through a
        # proxy, and pages of sites whose name resolves to this machine (DNS rebinding).
        class LoopbackPolicy
          PROXIED = %w[HTTP_FORWARDED HTTP_X_FORWARDED_FOR HTTP_X_FORWARDED_HOST HTTP_X_REAL_IP
            HTTP_VIA].freeze
          REFUSAL = <<~TEXT.chomp
            This dashboard answers requests from its own machine only, made to localhost.

            To open it to others, give it a user and a password, or an `auth:` that is asked for
            each request. Use `auth: :none` where the application around it decides.
          TEXT

          def refusal(env)
            if loopback?(env["REMOTE_ADDR"].to_s.b) && own_host?(env["HTTP_HOST"]&.b) &&
                PROXIED.none? { |name| env.key?(name) }
              return
            end

            Response.text(403, REFUSAL)
          end

          private

          def loopback?(address)
            IPAddr.new(address[/\A[^%]*/]).native.loopback?
          rescue IPAddr::Error
            false
          end

          # HTTP/1.0 has no Host, and browsers do not use it.
          def own_host?(host)
            return true if host.nil?

            name = host[/\A\[(.*)\](?::\d+)?\z/, 1] || host.sub(/:\d+\z/, "").downcase
            name == "localhost" || name.end_with?(".localhost") || loopback?(name)
          end
        end
      end
    end
  end
end
