# frozen_string_literal: true

require "json"
require_relative "error_page/cause"
require_relative "error_page/document"
require_relative "error_page/request_summary"

module Raffia
  class Server
    # Response to a request whose application raised, for developers: classes, messages, source and
    # the request. Only in development, to a client of this machine.
    #
    # @api private
    class ErrorPage
      # A client that asks by these has come through a proxy, maybe from far away.
      FORWARDED = %w[HTTP_X_FORWARDED_FOR HTTP_FORWARDED HTTP_X_REAL_IP HTTP_VIA].freeze
      # Names that no other machine can have resolved to this one (DNS rebinding).
      LOCAL_HOST = /\A(?:|(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?\z/i
      LOOPBACK = /\A(?:127\.|::1\z)/
      # Pages must not run scripts: messages may have foreign text.
      HEADERS = {
        "cache-control" => "no-store", "x-content-type-options" => "nosniff",
        "content-security-policy" => "default-src 'none'; style-src 'unsafe-inline'"
      }.freeze
      # Errors of a chain, at most.
      CAUSES = 10
      private_constant :FORWARDED, :LOCAL_HOST, :LOOPBACK, :HEADERS, :CAUSES

      # Whether the client may see it. A client that does not say what it accepts is a program.
      # Yields for the address of the socket's other end; nil: it has none.
      def self.allowed?(options, env)
        options.development? && options.error_details && env.key?("HTTP_ACCEPT") &&
          LOCAL_HOST.match?(env["HTTP_HOST"].to_s) && FORWARDED.none? { |name| env.key?(name) } &&
          LOOPBACK.match?(env["REMOTE_ADDR"].to_s) && LOOPBACK.match?(yield.to_s)
      end

      def initialize(error, env)
        @causes = chain(error).map { |one| Cause.new(one) }
        @request = RequestSummary.new(env)
        @accept = env["HTTP_ACCEPT"]
      end

      # Status, headers and body.
      def response(id)
        type, body = content
        [500, {"content-type" => type, "x-request-id" => id, **HEADERS}, [body]]
      end

      private

      def content
        case @accept
        when %r{text/html} then ["text/html; charset=utf-8", Document.new(@causes, @request).to_s]
        when /json/ then ["application/json", JSON.generate(to_h)]
        else ["text/plain; charset=utf-8", to_s]
        end
      end

      def to_h
        first, *others = @causes.map(&:to_h)
        {error: {**first, causes: others}, request: @request.to_h}
      end

      def to_s
        sections = @causes.map(&:to_s)
        facts = @request.fields.map { |name, value| "#{name}: #{value}" }
        [sections.join("\n\nCaused by\n"), @request.line, facts.join("\n"), ""].join("\n\n")
      end

      # Causes may be in a circle.
      def chain(error)
        errors = []
        while error && errors.size < CAUSES && errors.none? { |one| one.equal?(error) }
          errors << error
          error = error.cause
        end
        errors
      end
    end
  end
end
