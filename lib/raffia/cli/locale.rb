# frozen_string_literal: true

module Raffia
  module CLI
    # Text in a locale that knows ASCII alone, as LC_ALL=C and many containers have it.
    #
    # @api private
    module Locale
      # What a script is to see as under `ruby script.rb`.
      UNCHANGED = %w[run].freeze
      private_constant :UNCHANGED

      module_function

      # Names of files and folders may be UTF-8 all the same, and so may arguments.
      def adopt(argv)
        if UNCHANGED.include?(argv.first) || ::Encoding.default_external != ::Encoding::US_ASCII
          return argv
        end

        ::Encoding.default_external = ::Encoding::UTF_8
        argv.map do |word|
          if word.encoding == ::Encoding::US_ASCII
            word.dup.force_encoding(::Encoding::UTF_8)
          else
            word
          end
        end
      end
    end
  end
end
