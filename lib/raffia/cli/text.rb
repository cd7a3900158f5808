# frozen_string_literal: true

module Raffia
  module CLI
    # Words of programs, on the way to a terminal.
    #
    # @api private
    module Text
      module_function

      # What the system says, without where in Ruby.
      def reason(error) = error.message[/\A[^@]+/].strip

      # Titles, names and messages may have anything in them: lines that break a table, or what
      # moves the cursor and renames the window.
      # One line of what can be seen.
      def plain(value)
        value.to_s.encode(::Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
          .gsub(/[[:cntrl:]]+/, " ")
      end
    end
  end
end
