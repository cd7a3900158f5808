# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # Content codings that a client accepts, by weight (RFC 9110, 12.5.3).
      #
      # @api private
      class AcceptEncoding
        ALIASES = {"x-gzip" => "gzip"}.freeze
        IDENTITY = "identity"
        private_constant :ALIASES, :IDENTITY

        # `header`: text; nil: the client has not sent the field, so nothing is coded for it.
        def initialize(header)
          @weights = header.to_s.downcase.split(",").to_h { |part| parse(part) }
          @weights.delete("")
        end

        # Those of the names that the client accepts and does not like less than the plain body.
        # The best first; the order of the names decides between equal weights.
        def select(names)
          least = @weights[IDENTITY] || 0
          names.select { |name| weight(name).positive? && weight(name) >= least }
            .sort_by.with_index { |name, index| [-weight(name), index] }
        end

        # Whether the client takes the body without a coding.
        def identity? = @weights.fetch(IDENTITY) { @weights.fetch("*", 1) }.positive?

        private

        def weight(name) = @weights.fetch(name) { @weights.fetch("*", 0) }

        # A malformed weight refuses the coding.
        def parse(part)
          name, *parameters = part.split(";").map(&:strip)
          weight = parameters.find { |parameter| parameter.start_with?("q=") }
          [ALIASES.fetch(name, name).to_s,
            weight ? Float(weight.delete_prefix("q="), exception: false).to_f.clamp(0, 1) : 1.0]
        end
      end
    end
  end
end
