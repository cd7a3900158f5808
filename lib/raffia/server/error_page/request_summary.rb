# frozen_string_literal: true

module Raffia
  class Server
    class ErrorPage
      # A request as the page shows it, without secrets.
      #
      # @api private
      class RequestSummary
        SECRET = /pass|secret|token|key|cookie|auth|session|csrf/i
        HIDDEN = "[hidden]"
        # Bytes of a value.
        VALUE = 1024
        private_constant :SECRET, :HIDDEN, :VALUE

        def initialize(env)
          @env = env
        end

        def line = text("#{@env["REQUEST_METHOD"]} #{@env["PATH_INFO"]}#{query}")

        # Header fields by name.
        def fields
          names = @env.keys.select { |name| name.start_with?("HTTP_") || name == "CONTENT_TYPE" }
          names.sort.to_h do |name|
            shown = name.delete_prefix("HTTP_").downcase.tr("_", "-")
            [text(shown), SECRET.match?(shown) ? HIDDEN : value(name)]
          end
        end

        def to_h = {line: line, remote_address: @env["REMOTE_ADDR"], headers: fields}

        private

        # Referers and the like have queries, too.
        def value(name) = text(hide(@env[name].to_s.byteslice(0, VALUE)))

        def query
          query = @env["QUERY_STRING"].to_s
          query.empty? ? "" : "?#{hide(query.byteslice(0, VALUE))}"
        end

        def hide(text)
          text.b.gsub(/([^?&;=\s]+)=([^&;\s]*)/n) do |pair|
            SECRET.match?($1) ? "#{$1}=#{HIDDEN}" : pair
          end
        end

        def text(string) = string.dup.force_encoding(Encoding::UTF_8).scrub
      end
    end
  end
end
