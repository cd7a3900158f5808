# frozen_string_literal: true

require "prism"

module Architecture
  # Classes and modules that a file defines or opens, by their full names.
  class Definitions < Prism::Visitor
    # @!attribute superclass
    #   @return [String, nil] as it is written
    Definition = Data.define(:name, :superclass) do
      # @return [String] the name without its namespace
      def base = name.split("::").last
    end

    MAKERS = %w[Data Struct Class Module Service::Settings].freeze

    # @return [Array<Definition>]
    def self.in(tree)
      new.tap { |visitor| tree.accept(visitor) }.found.uniq(&:name)
    end

    attr_reader :found

    def initialize
      super
      @namespace = []
      @found = []
    end

    def visit_module_node(node) = define(node.constant_path.slice, nil) { super }

    def visit_class_node(node) = define(node.constant_path.slice, node.superclass&.slice) { super }

    # `Name = Data.define(...)` and the like.
    def visit_constant_write_node(node)
      return super unless maker?(node.value)

      define(node.name.to_s, node.value.arguments&.arguments&.first&.slice) { super }
    end

    private

    def define(name, superclass)
      outer = @namespace
      @namespace = name.start_with?("::") ? [name.delete_prefix("::")] : outer + [name]
      @found << Definition.new(@namespace.join("::"), superclass)
      yield
    ensure
      @namespace = outer
    end

    def maker?(value)
      value.is_a?(Prism::CallNode) && %i[define new].include?(value.name) &&
        MAKERS.include?(value.receiver&.slice&.delete_prefix("::"))
    end
  end
end
