# frozen_string_literal: true

module Mutate
  # One change of one file.
  #
  # @!attribute file [String] path below the root of the checkout
  # @!attribute line [Integer] where the change begins
  # @!attribute operator [Symbol] the kind of change
  # @!attribute range [Range] bytes of the file that are replaced
  # @!attribute replacement [String]
  # @!attribute scope [String, nil] name of the method around it
  Mutant = Data.define(:file, :line, :operator, :range, :replacement, :scope) do
    # @param source [String] the file's text
    # @return [String] the text with the change in it
    def apply(source)
      bytes = source.b
      bytes[range] = replacement.b
      bytes.force_encoding(source.encoding)
    end

    # @return [String] what a folder of lib/raffia is called; a file beside it belongs to it
    def component = file.delete_prefix("lib/raffia/").delete_suffix(".rb").split("/").first

    # @param source [String] the file's text
    # @return [Array(String, String)] the line before and after the change, without indentation
    def lines(source) = [source, apply(source)].map { |text| text.lines.fetch(line - 1, "").strip }

    # @param source [String] the file's text
    # @return [String] a diff of that line
    def diff(source)
      before, after = lines(source)
      "#{file}:#{line} #{operator}\n  - #{before}\n  + #{after}"
    end
  end
end
