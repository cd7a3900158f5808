# frozen_string_literal: true

require "prism"

module Simulations
  # A source file and its mutants: what lies under a lock without it, calls that wake others or
  # clean up left out, checks that an event came already left out.
  class MutantSource
    # @!attribute place [String] file:line
    # @!attribute change [String] the line, and what is missing
    # @!attribute path [String]
    # @!attribute text [String] the whole source
    Mutant = Data.define(:place, :change, :path, :text)

    LOCKS = %i[hold synchronize shield handle_interrupt].freeze
    CALLS = %i[signal broadcast settle serve wake absorb refill withdraw give_back release
      leave_wait unlock check! drain abandon fail_all wakeup notify employ delete receive postpone
      deliver_postponed disarm interrupt_later].freeze

    def initialize(path)
      @path = path
      @source = File.read(path)
    end

    # The source as it is, which every model must pass.
    # @return [Mutant]
    def original = Mutant.new(place: @path, change: "none", path: @path, text: @source)

    # @return [Array<Mutant>]
    def mutants
      @found = []
      visit(Prism.parse(@source).value)
      @found.select { |mutant| Prism.parse(mutant.text).success? }
    end

    private

    def visit(node, statement: false)
      case node
      when Prism::CallNode then call(node, statement)
      when Prism::IfNode, Prism::UnlessNode then guard(node)
      end
      statements = node.is_a?(Prism::StatementsNode)
      node.compact_child_nodes.each { |child| visit(child, statement: statements) }
    end

    # Without the lock the block runs all the same; a `next` or `return` in it keeps its meaning.
    def call(node, statement)
      if LOCKS.include?(node.name) && node.block.is_a?(Prism::BlockNode)
        head = node.location.start_offset...node.block.location.start_offset
        add(node, head, "Simulations::Unlocked.hold ", "no #{node.name}")
      elsif CALLS.include?(node.name) && statement
        add(node, range(node), "nil", "no #{node.name}")
      end
    end

    # A jump under a condition: `return false if @state`.
    def guard(node)
      body = node.statements&.body
      return unless body&.one? && [Prism::ReturnNode, Prism::NextNode].include?(body.first.class)
      return if node.respond_to?(:subsequent) && node.subsequent

      add(node, range(node), "nil", "no check")
    end

    def range(node) = node.location.start_offset...node.location.end_offset

    def add(node, range, replacement, what)
      text = @source.b
      text[range] = replacement
      line = @source.lines[node.location.start_line - 1].strip
      @found << Mutant.new(place: "#{@path[/raffia\/.*/]}:#{node.location.start_line}",
        change: "#{what}: #{line}", path: @path, text: text.force_encoding(Encoding::UTF_8))
    end
  end

  # Runs a block without any lock, in place of one.
  module Unlocked
    def self.hold = yield
  end
end
