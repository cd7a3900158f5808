# frozen_string_literal: true

module Raffia
  module CLI
    # Text of programs and the system, made fit for a terminal.
    #
    # @api private
    module Text
      module_function

      # The message of a SystemCallError, without the place in Ruby.
      def reason(error) = error.message[/\A[^@]+/].strip

      # One visible line: titles, names and messages may hold line breaks and terminal escapes.
      def plain(value)
        value.to_s.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
          .gsub(/[[:cntrl:]]+/, " ")
      end
    end
  end
end
