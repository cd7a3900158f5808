# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # The server's own part in gRPC over Rack: deadlines, and responses in place of the
      # application's. Services are applications: they read `rack.input`, write a streaming body,
      # and set `env["raffia.response_trailers"]`.
      #
      # @api private
      module GRPC
        TYPE = "application/grpc"
        # Statuses of gRPC for those of HTTP (DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAVAILABLE).
        STATUSES = {408 => 4, 413 => 8, 431 => 8, 503 => 14, 504 => 4}.freeze
        INTERNAL = 13
        # Seconds.
        UNITS = {
          "H" => 3600, "M" => 60, "S" => 1, "m" => 1e-3, "u" => 1e-6, "n" => 1e-9
        }.freeze
        private_constant :STATUSES, :INTERNAL, :UNITS

        module_function

        def request?(env) = !!env["CONTENT_TYPE"]&.start_with?(TYPE)

        # A response of trailers alone.
        def response(status, message)
          [200, {"content-type" => TYPE, "grpc-status" => STATUSES.fetch(status, INTERNAL).to_s,
                 "grpc-message" => encode(message)}, []]
        end

        # Seconds that the client waits; nil when it has not said, or not well.
        def timeout(header)
          number, unit = header&.match(/\A(\d{1,8})([HMSmun])\z/)&.captures
          number.to_i * UNITS.fetch(unit) if number
        end

        # Printable ASCII without percent signs stays.
        def encode(text)
          text.b.gsub(/[^ -$&-~]/n) { |byte| format("%%%02X", byte.ord) }
        end
      end
    end
  end
end
