# frozen_string_literal: true

require "json"
require "uri"

module Raffia
  module Jobs
    class Web
      # A request to the dashboard.
      # @api private
      class Request
        class Invalid < Error
        end

        # Limit of a body in bytes; a page's checkboxes need far less.
        LIMIT = 1024 * 1024
        API = "/api"

        attr_reader :env
        # Without the mount point and {API}.
        attr_reader :path

        def initialize(env)
          @env = env
          path = env["PATH_INFO"].to_s.dup.force_encoding(Encoding::UTF_8).scrub
          @api = path == API || path.start_with?("#{API}/")
          @path = path.delete_prefix(@api ? API : "").chomp("/")
          @path = "/" if @path.empty?
        end

        def mount = @mount ||= @env["SCRIPT_NAME"].to_s.dup.force_encoding(Encoding::UTF_8).scrub

        def post? = @env["REQUEST_METHOD"] == "POST"

        def read? = %w[GET HEAD].include?(@env["REQUEST_METHOD"])

        def api? = @api

        # Whether a page refreshes its parts.
        def parts? = @env["HTTP_ACCEPT"] == "application/json"

        def json? = @env["CONTENT_TYPE"].to_s.b.match?(%r{\Aapplication/json\b}i)

        def [](name) = params[name]&.first

        def list(name) = params[name] || []

        # A parameter as a number from 0 on.
        def number(name, default = 0, most = 10**12)
          (Integer(self[name].to_s, 10, exception: false) || default).clamp(0, most)
        end

        private

        def params
          @params ||= collect(@env["QUERY_STRING"].to_s.b, post? ? body : [])
        end

        def collect(query, body)
          (form(query) + body).each_with_object({}) do |(name, value), found|
            unless name.valid_encoding? && value.valid_encoding?
              raise Invalid, "What was sent is not UTF-8."
            end

            (found[name] ||= []) << value
          end
        end

        def body = json? ? object(input) : form(input)

        def form(text)
          URI.decode_www_form(text)
        rescue ArgumentError
          raise Invalid, "The parameters cannot be read."
        end

        def object(text)
          data = JSON.parse(text)
          raise Invalid, "The body must be a JSON object." unless data.is_a?(Hash)

          data.flat_map { |name, value| Array(value).map { |one| [name, one.to_s] } }
        rescue JSON::ParserError
          raise Invalid, "The body is not JSON."
        end

        # A middleware may have read the body already, such as Rack::MethodOverride.
        def input
          read = @env["rack.request.form_vars"] || @env["rack.input"]&.read(LIMIT + 1) || ""
          raise Invalid, "The body is too long." if read.bytesize > LIMIT

          read.dup.force_encoding(Encoding::UTF_8)
        end
      end
    end
  end
end
