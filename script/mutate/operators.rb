# frozen_string_literal: true

require "prism"
require_relative "mutant"

module Mutate
  # Collects the mutants of a file. Declarations, texts of errors and log lines are left alone.
  class Operators < Prism::Visitor
    SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", first: "last",
             last: "first", min: "max", max: "min", shift: "pop", pop: "shift"}.freeze
    # The same method of Thread::Queue.
    SYNONYMS = /\A(?:pop|shift)\z/
    LOGIC = {"&&" => "||", "||" => "&&", "and" => "or", "or" => "and"}.freeze
    # Neither dropped nor looked into: declarations, and what a user reads.
    KEPT = %i[require require_relative autoload attr_reader attr_writer attr_accessor private public
      protected private_constant private_class_method public_class_method module_function include
      extend using warn log debug info].freeze
    # Dropped as a whole, never changed inside.
    WHOLE = %i[raise abort fail puts print].freeze
    LOGS = /\blog(?:ger)?\b/i
    JUMPS = [Prism::ReturnNode, Prism::NextNode, Prism::BreakNode].freeze
    DROPPED = [Prism::CallNode, Prism::InstanceVariableWriteNode,
      Prism::InstanceVariableOperatorWriteNode].freeze
    # An integer above it in a constant is a setting, which no test should repeat.
    SETTING = 2

    # @param source [String] text of the file
    # @param file [String] its path below the root
    # @return [Array<Mutant>]
    def self.mutants(source, file)
      found = new(file)
      Prism.parse(source).value.accept(found)
      found.mutants
    end

    attr_reader :mutants

    def initialize(file)
      super()
      @file = file
      @mutants = []
      @declaring = {}.compare_by_identity
      @place = :statement
    end

    def visit_program_node(node) = declare(node.statements) { super }
    def visit_class_node(node) = declare(node.body) { super }
    def visit_module_node(node) = declare(node.body) { super }
    def visit_singleton_class_node(node) = declare(node.body) { super }

    # Dropping a statement there changes a text.
    def visit_embedded_statements_node(node) = declare(node.statements) { super }

    def visit_def_node(node)
      before, @scope = @scope, node.name.to_s
      super
    ensure
      @scope = before
    end

    def visit_if_node(node)
      body = node.statements&.body
      jump = body&.size == 1 && node.subsequent.nil? && JUMPS.any? { |kind| kind === body[0] }
      add(node, "nil", :guard) if jump
      negate(node.predicate)
      super
    end

    def visit_unless_node(node)
      body = node.statements&.body
      add(node, "nil", :guard) if body&.size == 1 && JUMPS.any? { |kind| kind === body[0] }
      negate(node.predicate)
      super
    end

    def visit_while_node(node)
      negate(node.predicate) unless node.predicate.is_a?(Prism::TrueNode)
      super
    end

    def visit_until_node(node)
      negate(node.predicate)
      super
    end

    def visit_and_node(node)
      replace(node.operator_loc, LOGIC.fetch(node.operator), :logic)
      super
    end

    def visit_or_node(node)
      replace(node.operator_loc, LOGIC.fetch(node.operator), :logic)
      super
    end

    def visit_integer_node(node)
      return if @constant && node.value > SETTING

      add(node, (node.value + 1).to_s, :integer)
      add(node, "0", :integer) unless node.value.zero?
    end

    def visit_constant_write_node(node)
      @constant = true
      super
    ensure
      @constant = false
    end

    def visit_local_variable_write_node(node)
      result(node.value)
      super
    end

    def visit_return_node(node)
      node.arguments&.arguments&.each { |value| result(value) }
      super
    end

    def visit_ensure_node(node) = at(:ensure) { super }

    def visit_rescue_node(node)
      node.exceptions.each { |exception| visit(exception) }
      at(:rescue) { visit(node.statements) }
      visit(node.subsequent)
    end

    def visit_statements_node(node)
      drop(node.body) unless @declaring[node]
      super
    end

    def visit_call_node(node)
      return node.arguments&.arguments&.grep(Prism::DefNode)&.each { visit(_1) } if kept?(node)
      return if WHOLE.include?(node.name)

      swap(node)
      %w[true false].each { add(node, _1, :predicate) } if node.name.end_with?("?")
      super
    end

    private

    def kept?(node) = KEPT.include?(node.name) || node.receiver&.slice&.match?(LOGS)

    def drop(statements)
      statements.each do |node|
        next unless DROPPED.include?(node.class)

        add(node, "nil", @place) unless node.is_a?(Prism::CallNode) && kept?(node)
      end
    end

    def swap(node)
      return add(node, node.receiver.slice, :condition) if node.name == :!

      other = SWAPS[node.name]
      return unless other && node.receiver && node.message_loc
      return if node.name.match?(SYNONYMS) && queue?(node)

      replace(node.message_loc, other.to_s, :swap)
    end

    # An Array has no time limits.
    def queue?(node)
      node.receiver.slice.match?(/queue/i) ||
        node.arguments&.arguments&.any?(Prism::KeywordHashNode)
    end

    def result(value)
      add(value, "nil", :result) if value.is_a?(Prism::CallNode) && !kept?(value)
    end

    def negate(predicate) = add(predicate, "!(#{predicate.slice})", :condition)

    def declare(body)
      @declaring[body] = true if body
      yield
    end

    def at(place)
      before, @place = @place, place
      yield
    ensure
      @place = before
    end

    def add(node, replacement, operator) = replace(node.location, replacement, operator)

    def replace(place, replacement, operator)
      return if place.slice == replacement

      @mutants << Mutant.new(file: @file, line: place.start_line, operator: operator, scope: @scope,
        range: place.start_offset...place.end_offset, replacement: replacement)
    end
  end
end
