# frozen_string_literal: true

module Raffia
  class Server
    class Compression
      # A list of media types, such as `text/*`, `application/json` and `*/*+xml`.
      #
      # @api private
      class MediaRanges
        # Event streams have to be named, because each event is then flushed by itself. gRPC has a
        # compression of its own.
        EVENTS = "text/event-stream"
        GRPC = "application/grpc"
        private_constant :EVENTS, :GRPC

        # Raises ConfigError for text that is no range.
        def initialize(ranges)
          ranges = ranges.map(&:downcase)
          ranges.each { |range| check(range) }
          parts = ranges.map { |range| Regexp.escape(range).gsub("\\*") { "[^/;\\s]+" } }
          excluded = [GRPC, *(EVENTS unless ranges.include?(EVENTS))]
          @pattern = /\A(?!#{excluded.join("|")})(?:#{parts.join("|")})\s*(?:;|\z)/i
        end

        def include?(type) = !type.nil? && @pattern.match?(type)

        private

        def check(range)
          return if range.match?(%r{\A[^/\s;,]+/[^/\s;,]+\z})

          raise ConfigError, "compress_types #{range.inspect} is no media type: write one such " \
            "as application/json or text/*"
        end
      end
    end
  end
end
