# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.input` of requests without a body. They share {ONE}.
      #
      # @api private
      class NullInput
        def read(length = nil, buffer = nil)
          buffer&.clear
          return if length && length > 0

          buffer || "".b
        end

        def read_partial(length, buffer = nil)
          raise EOFError, "end of file reached" if length.positive?

          read(length, buffer)
        end
        alias_method :readpartial, :read_partial

        def gets(*) = nil

        def each = self

        def rewind = 0

        def size = 0

        def eof? = true

        def ready? = true

        def external_encoding = Encoding::BINARY

        def close = nil

        ONE = new.freeze
      end
    end
  end
end
