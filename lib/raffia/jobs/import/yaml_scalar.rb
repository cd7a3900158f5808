# frozen_string_literal: true

require "psych"
require_relative "unreadable"

module Raffia
  module Jobs
    class Import
      # Reads a text of YAML: into itself, or a leaf of an {ObjectTree}.
      # @api private
      module YAMLScalar
        # Tags whose text is kept as it is.
        TAGGED = {
          "!ruby/symbol" => "symbol", "!ruby/sym" => "symbol",
          "!ruby/object:DateTime" => "datetime", "!ruby/object:BigDecimal" => "decimal",
          "!binary" => "bytes", "tag:yaml.org,2002:binary" => "bytes",
          "!ruby/class" => "class", "!ruby/module" => "class"
        }.freeze
        TEXT = ["!", "!str", "tag:yaml.org,2002:str"].freeze
        # An integer as Psych writes it; others stay text, because their meaning has changed
        # between versions of YAML.
        INTEGER = /\A[-+]?(?:0|[1-9]\d*)\z/
        FLOAT = /\A[-+]?\d[\d_]*\.\d+(?:[eE][-+]?\d+)?\z/
        TIME = /\A\d{4}-\d{2}-\d{2}[Tt ]\d{1,2}:\d{2}:\d{2}/
        DATE = /\A\d{4}-\d{2}-\d{2}\z/
        private_constant :TAGGED, :TEXT, :INTEGER, :FLOAT, :TIME, :DATE

        module_function

        # Raises {Unreadable} for an unknown tag.
        def read(node)
          return plain(node) if node.tag.nil?
          return if none?(node)
          return node.value if TEXT.include?(node.tag)

          type = TAGGED[node.tag] or
            raise Unreadable, "its handler has the tag #{node.tag[0, 100]}"
          (type == "class") ? {"type" => type, "class" => node.value} : leaf(type, node.value)
        end

        class << self
          private

          def plain(node)
            text = node.value
            return text if node.quoted

            case text
            when "", "~", /\Anull\z/i then nil
            when /\A(?:true|yes|on)\z/i then true
            when /\A(?:false|no|off)\z/i then false
            when INTEGER then text.to_i
            when FLOAT then text.to_f
            when /\A:"(.*)"\z/, /\A:'(.*)'\z/, /\A:(.+)\z/ then leaf("symbol", $1)
            when TIME then leaf("time", text)
            when DATE then leaf("date", text)
            when /\A[-+]?\.(?:inf|nan)\z/i then raise Unreadable, "its handler has a number #{text}"
            else text
            end
          end

          # How Psych writes nil as a key.
          def none?(node) = node.tag == "!" && node.value.empty?

          def leaf(type, value) = {"type" => type, "value" => value}
        end
      end
    end
  end
end
