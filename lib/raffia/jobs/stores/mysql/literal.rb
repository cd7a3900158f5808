# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Values as texts in statements. The protocol's prepared statements would bind a connection
        # to a server's session, and cost a round trip more.
        # @api private
        module Literal
          NULL = "NULL"

          module_function

          # The connection escapes texts as its session wants it.
          def of(value, connection)
            case value
            when String then text(value, connection)
            when Integer, Float then value.to_s
            when Array then list(value, connection)
            when nil then NULL
            else raise ArgumentError, "no literal for #{value.class}"
            end
          end

          # Whatever its bytes are, they arrive unchanged.
          def text(value, connection)
            escaped = connection.escape(value.b)
            value.ascii_only? ? "'#{escaped}'" : "#{introducer(value)}'".b << escaped << "'"
          end

          def introducer(value)
            (value.encoding == Encoding::UTF_8 && value.valid_encoding?) ? "_utf8mb4" : "_binary"
          end

          # No row is in an empty one.
          def list(values, connection)
            values.empty? ? NULL : values.map { |value| of(value, connection) }.join(",")
          end
        end
      end
    end
  end
end
