# frozen_string_literal: true

module Architecture
  # No mutable state at class level: other Ractors cannot read it, forked children inherit it, tests
  # cannot reset it. What is left is a registry that is frozen where it is made, at boot.
  class State < Rule
    FROZEN_BY = %i[freeze make_shareable].freeze
    # The world of a simulation is read at each call of a replaced method: docs/adr/0031.
    EXCEPTIONS = %w[lib/raffia/simulation/world.rb].freeze
    # Ruby's own switches may be set; a global of ours may not exist.
    RUBYS_GLOBALS = %i[$stdout $stderr $stdin $VERBOSE $0 $PROGRAM_NAME $, $; $/].freeze

    def initialize(source)
      super
      @class_level = false # is `self` a class or module here?
      @module_functions = false
    end

    %i[class module].each do |kind|
      define_method(:"visit_#{kind}_node") { |node| within(true, functions: false) { super(node) } }
    end

    def visit_singleton_class_node(node) = within(false, functions: true) { super }

    def visit_def_node(node)
      within(node.receiver.is_a?(Prism::SelfNode) || @module_functions, in_def: true) { super }
    end

    def visit_call_node(node)
      @module_functions = true if functions_from_here?(node)
      super
    end

    %w[write operator_write or_write and_write target].each do |how|
      define_method(:"visit_instance_variable_#{how}_node") do |node|
        instance_variable(node)
        super(node)
      end

      define_method(:"visit_class_variable_#{how}_node") do |node|
        offend(node, "#{node.name}: a class variable is state that all share; hand an object " \
          "down instead")
        super(node)
      end

      define_method(:"visit_global_variable_#{how}_node") do |node|
        offend(node, "#{node.name} is set: no globals") unless RUBYS_GLOBALS.include?(node.name)
        super(node)
      end
    end

    private

    def within(class_level, functions: @module_functions, in_def: false)
      before = [@class_level, @module_functions, @in_def]
      @class_level, @module_functions, @in_def = class_level, functions, in_def
      yield
    ensure
      @class_level, @module_functions, @in_def = before
    end

    def functions_from_here?(node)
      return false unless @class_level && node.receiver.nil? && !@in_def
      (node.name == :module_function && node.arguments.nil?) ||
        (node.name == :extend && node.arguments&.arguments&.first.is_a?(Prism::SelfNode))
    end

    def instance_variable(node)
      return if !@class_level || source.in?(*EXCEPTIONS)
      return if !@in_def && node.respond_to?(:value) && frozen?(node.value)
      offend(node, "#{node.name} at class level: no mutable class-level state but registries " \
        "frozen at boot")
    end

    def frozen?(value) = value.is_a?(Prism::CallNode) && FROZEN_BY.include?(value.name)
  end
end
