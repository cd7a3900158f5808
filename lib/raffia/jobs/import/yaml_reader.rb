# frozen_string_literal: true

require "psych"
require_relative "object_tree"
require_relative "unreadable"
require_relative "yaml_row"
require_relative "yaml_scalar"

module Raffia
  module Jobs
    class Import
      # Reads the YAML of Delayed Job's handlers into an {ObjectTree}. It makes no object and
      # resolves no class: tags are compared as text.
      # @api private
      class YAMLReader
        # Bytes of a handler, and of the text in it after aliases.
        LIMIT = 1024 * 1024
        # Tags of what `.delay` makes.
        CALLS = %w[Delayed::PerformableMethod Delayed::PerformableMailer].freeze
        # Active Job's adapter for Delayed Job.
        WRAPPER = "ActiveJob::QueueAdapters::DelayedJobAdapter::JobWrapper"
        HASHES = %w[!ruby/hash:ActiveSupport::HashWithIndifferentAccess
          !map:ActiveSupport::HashWithIndifferentAccess].freeze
        ZONED = "ActiveSupport::TimeWithZone"
        private_constant :HASHES, :ZONED

        # Returns a tree. Raises {Unreadable}.
        def self.read(yaml) = new.read(yaml)

        def initialize
          @anchors = {}
          @bytes = 0
        end

        def read(yaml)
          if yaml.bytesize > LIMIT
            raise Unreadable, "its handler has more than #{LIMIT} bytes"
          end

          document = Psych.parse(yaml) or raise Unreadable, "its handler is empty"
          tree(document.root, 0)
        rescue Psych::SyntaxError, EncodingError, ArgumentError => error
          raise Unreadable, "its handler is no YAML (#{error.class})"
        end

        private

        def tree(node, depth)
          if depth > ObjectTree::DEPTH
            raise Unreadable, "its handler is deeper than #{ObjectTree::DEPTH}"
          end

          case node
          when Psych::Nodes::Scalar then scalar(node)
          when Psych::Nodes::Sequence then sequence(node, depth)
          when Psych::Nodes::Mapping then mapping(node, depth)
          else aliased(node)
          end
        end

        def scalar(node)
          value = YAMLScalar.read(node)
          count(node.value.bytesize)
          leaf(node, value, node.value.bytesize)
        end

        # Only text and rows may have aliases: trees of them could grow without end.
        def leaf(node, value, size = 1)
          @anchors[node.anchor] = [value, size] if node.anchor
          value
        end

        def aliased(node)
          value, size = @anchors[node.anchor] ||
            raise(Unreadable, "its handler has an alias of an object")
          count(size)
          value
        end

        def count(size)
          return if (@bytes += size) <= LIMIT

          raise Unreadable, "its handler has more than #{LIMIT} bytes after aliases"
        end

        def sequence(node, depth)
          unknown(node) if node.tag
          node.children.map { |child| tree(child, depth + 1) }
        end

        def mapping(node, depth)
          return hash(node, depth) if node.tag.nil?

          kind, name = node.tag.split(":", 2)
          case kind
          when "!ruby/object" then object(node, name, depth)
          when "!ruby/struct" then {"type" => "struct", "class" => name,
                                    "fields" => fields(node, depth)}
          when "!ruby/ActiveRecord" then record(node, name)
          when "!ruby/range" then range(fields(node, depth))
          else HASHES.include?(node.tag) ? hash(node, depth) : unknown(node)
          end
        end

        def unknown(node) = raise(Unreadable, "its handler has the tag #{node.tag[0, 100]}")

        def hash(node, depth)
          {"type" => "hash", "pairs" => node.children.each_slice(2).map { |pair|
            pair.map { |child| tree(child, depth + 1) }
          }}
        end

        def object(node, name, depth)
          return record(node, name) if YAMLRow.row?(node)
          return call(fields(node, depth)) if CALLS.include?(name)
          return {"type" => "time", "value" => fields(node, depth)["utc"]["value"]} if name == ZONED

          {"type" => "object", "class" => name, "fields" => fields(node, depth)}
        end

        def fields(node, depth)
          node.children.each_slice(2).to_h do |key, value|
            unless key.is_a?(Psych::Nodes::Scalar)
              raise Unreadable, "its handler has a field without a name"
            end

            [key.value, tree(value, depth + 1)]
          end
        end

        def call(fields)
          target, name, args = fields.values_at("object", "method_name", "args")
          name = name["value"] if name.is_a?(Hash)
          unless name.is_a?(String) && args.is_a?(Array)
            raise Unreadable, "its handler is a call without a method"
          end

          {"type" => "call", "target" => target, "method" => name, "args" => args}
        end

        def range(fields)
          {"type" => "range", "first" => fields["begin"], "last" => fields["end"],
           "exclusive" => fields["excl"]}
        end

        def record(node, name)
          leaf(node, {"type" => "record", "class" => name, "id" => YAMLRow.id(node, name)})
        end
      end
    end
  end
end
