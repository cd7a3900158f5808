# frozen_string_literal: true

module Raffia
  module CLI
    # Text in a locale of ASCII alone, such as LC_ALL=C in many containers.
    #
    # @api private
    module Locale
      # Commands whose scripts get their arguments as under `ruby script.rb`.
      UNCHANGED = %w[run].freeze
      private_constant :UNCHANGED

      module_function

      # File names and arguments may be UTF-8 all the same.
      def adopt(argv)
        if UNCHANGED.include?(argv.first) || ::Encoding.default_external != ::Encoding::US_ASCII
          return argv
        end

        ::Encoding.default_external = ::Encoding::UTF_8
        argv.map do |word|
          next word unless word.encoding == ::Encoding::US_ASCII
          word.dup.force_encoding(::Encoding::UTF_8)
        end
      end
    end
  end
end
