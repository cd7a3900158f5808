# frozen_string_literal: true

require_relative "unreadable"
require_relative "yaml_scalar"

module Raffia
  module Jobs
    class Import
      # Finds the id of a row of Active Record in the YAML that Rails has written. The row itself is
      # in the database.
      # @api private
      module YAMLRow
        ATTRIBUTES = %w[concise_attributes raw_attributes attributes].freeze
        private_constant :ATTRIBUTES

        module_function

        # Whether a mapping is a row.
        def row?(node)
          keys = node.children.each_slice(2).map { |key, _| key.value if key.respond_to?(:value) }
          keys.include?("active_record_yaml_version") || (keys.include?("new_record") &&
            keys.intersect?(ATTRIBUTES))
        end

        # A String or an Integer. Raises {Unreadable}.
        def id(node, name)
          rows = node.children.each_slice(2).select { |key, _|
            key.is_a?(Psych::Nodes::Scalar) && ATTRIBUTES.include?(key.value)
          }
          rows.filter_map { |_, value| id_of(value) }.first or
            raise Unreadable, "its #{name} has no id"
        end

        class << self
          private

          # Attributes are a Hash, or one object each.
          def id_of(node)
            case node
            when Psych::Nodes::Mapping
              value = field(node, "id")
              value.is_a?(Psych::Nodes::Mapping) ? attribute(value) : plain(value)
            when Psych::Nodes::Sequence
              attribute(node.children.find { |child|
                child.is_a?(Psych::Nodes::Mapping) && plain(field(child, "name")) == "id"
              })
            end
          end

          def attribute(node)
            return unless node

            %w[value value_before_type_cast].filter_map { |name| plain(field(node, name)) }.first
          end

          def field(node, name)
            node.children.each_slice(2).find { |key, _|
              key.is_a?(Psych::Nodes::Scalar) && key.value == name
            }&.last
          end

          def plain(node)
            value = YAMLScalar.read(node) if node.is_a?(Psych::Nodes::Scalar)
            value if value.is_a?(String) || value.is_a?(Integer)
          end
        end
      end
    end
  end
end
