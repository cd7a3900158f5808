# frozen_string_literal: true

require_relative "http/accept_encoding"
require_relative "compression/body"
require_relative "compression/codings"
require_relative "compression/head"
require_relative "compression/media_ranges"
require_relative "compression/streaming_body"

module Raffia
  class Server
    # Compresses responses for clients that accept it. A Rack layer between the server and the
    # application, so it knows nothing of protocols; without `compress` there is none.
    #
    # @api private
    class Compression
      # Statuses without a body, and those whose body is a part of another.
      BODYLESS = [204, 205, 206, 304].freeze
      # Values of Accept-Encoding whose codings are kept; clients send few different ones.
      KEPT = 64
      NOT_ACCEPTABLE = "Not Acceptable: this body comes as %s\n"
      private_constant :BODYLESS, :KEPT, :NOT_ACCEPTABLE

      # Loads libraries. Raises MissingDependency, and ConfigError for settings that are invalid.
      def self.prepare(options)
        Codings.load(options.compress, ractors: options.ractors?)
        MediaRanges.new(options.compress_types)
      end

      def initialize(app, options)
        @app = app
        @min = options.compress_min || 0
        @types = MediaRanges.new(options.compress_types)
        @codings = options.compress.to_h do |name|
          coding = Codings.build(name, options.compress_jitter)
          [coding.name, coding]
        end
        @choices = {}
      end

      # Returns a Rack response. A response that is none is left for others to report.
      def call(env)
        response = @app.call(env)
        return response unless response.is_a?(::Array) && response[1].is_a?(::Hash)

        status, headers, body = response
        return response if !status.is_a?(::Integer) || status < 200
        return bodyless(env, response) if BODYLESS.include?(status)

        head = Head.new(headers)
        return response unless eligible?(env, head)

        response = [status, headers, body = body.to_ary] if body.respond_to?(:to_ary)
        return response if body.is_a?(::Array) && !body.all?(::String)

        compressed(env, response, head)
      end

      private

      def eligible?(env, head)
        @types.include?(head["content-type"]) && head.transformable? &&
          env["REQUEST_METHOD"] != "CONNECT" &&
          !env["HTTP_CACHE_CONTROL"]&.match?(/no-transform/i)
      end

      # A 304 has the tag of the response that the client has.
      def bodyless(env, response)
        status, headers, body = response
        tags = env["HTTP_IF_NONE_MATCH"]
        return response unless status == 304 && tags && (head = Head.new(headers)).known?(tags)

        [304, head.not_modified, body]
      end

      def compressed(env, response, head)
        status, _, body = response
        length = length(env, head, body)
        coding, plain = choose(env["HTTP_ACCEPT_ENCODING"])
        return response if plain && length && length < @min
        return [status, head.varied, body] if plain && (coding.nil? || cross_site?(env))
        return not_acceptable(body) unless coding
        return not_modified(head, body) if status == 200 && unchanged?(env, head)

        encoded(env, response, head, coding)
      end

      # The coding, and whether the plain body will do, too.
      def choose(header)
        return [nil, true] unless header

        @choices.clear if @choices.size >= KEPT
        @choices[header] ||= begin
          accepted = HTTP::AcceptEncoding.new(header)
          [@codings[accepted.select(@codings.keys).first], accepted.identity?]
        end
      end

      # Bytes of the plain body; nil: not known.
      def length(env, head, body)
        sum = body.sum(&:bytesize) if body.is_a?(::Array)
        return sum if sum&.positive? || (sum && env["REQUEST_METHOD"] != "HEAD")

        head["content-length"]&.to_i || sum
      end

      # Another site's page may have the browser send input that is reflected beside a secret, and
      # measure the length (BREACH).
      def cross_site?(env)
        env["HTTP_SEC_FETCH_SITE"] == "cross-site" && env.key?("HTTP_COOKIE")
      end

      def not_acceptable(body)
        body.close if body.respond_to?(:close)
        text = format(NOT_ACCEPTABLE, ["identity", *@codings.keys].join(", "))
        [406, {"content-type" => "text/plain", "vary" => "accept-encoding"}, [text]]
      end

      def unchanged?(env, head)
        %w[GET HEAD].include?(env["REQUEST_METHOD"]) && head.known?(env["HTTP_IF_NONE_MATCH"])
      end

      def not_modified(head, body)
        body.close if body.respond_to?(:close)
        [304, head.not_modified, []]
      end

      def encoded(env, response, head, coding)
        status, _, body = response
        if body.is_a?(::Array) && (env["REQUEST_METHOD"] != "HEAD" || body.any?)
          bytes = encode(coding, body)
          return [status, head.coded(coding.name, bytes.bytesize), [bytes]]
        end

        [status, head.coded(coding.name, nil), lazy(coding, body)]
      end

      # Strings in several encodings cannot be joined as text.
      def encode(coding, strings)
        text = (strings.size == 1) ? strings.first : strings.map(&:b).join
        Encoder.run(text.bytesize) { coding.compress(text) }
      end

      # A file has no pieces that somebody waits for.
      def lazy(coding, body)
        return StreamingBody.new(body, coding) unless body.respond_to?(:each)

        file = body.respond_to?(:to_path) || body.is_a?(Static::FileBody)
        Body.new(body, coding, flush: !file)
      end
    end
  end
end
