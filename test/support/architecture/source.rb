# frozen_string_literal: true

require "prism"

module Architecture
  # A finding of a rule: its place, and the rule in words.
  Offence = Data.define(:path, :line, :rule) do
    def to_s = "#{path}:#{line}: #{rule}"
  end

  # One Ruby file of the repository, parsed.
  class Source
    attr_reader :path, :text, :component

    # @param path [String] relative to the repository
    def initialize(path, text)
      @path = path
      @text = text
      @component = Components.of(path)
    end

    def tree
      @tree ||= Prism.parse(text).then do |result|
        raise SyntaxError, "#{path}: #{result.errors.first.message}" unless result.success?
        result.value
      end
    end

    # Is this file, or the folder it is in, one of these? Folders are named with a slash at the end.
    def in?(*places)
      places.any? { |place| place.end_with?("/") ? path.start_with?(place) : path == place }
    end
  end

  # A walk over one file that collects offences. Subclasses override visit_* and call {#offend}.
  class Rule < Prism::Visitor
    # @return [Array<Offence>]
    def self.check(source) = new(source).offences

    def initialize(source)
      super()
      @source = source
      @offences = []
    end

    attr_reader :source

    def offences
      visit(source.tree)
      @offences
    end

    private

    def offend(node, rule) = @offences << Offence.new(source.path, node.location.start_line, rule)

    # "Process" for Process, "::Process" for ::Process, "Raffia::Process" for the path; nil for what
    # is no constant.
    def constant_name(node)
      case node
      when Prism::ConstantReadNode then node.name.to_s
      when Prism::ConstantPathNode
        return "::#{node.name}" if node.parent.nil?
        parent = constant_name(node.parent)
        parent && "#{parent}::#{node.name}"
      end
    end

    # Ruby's own class or module of that name: with or without the leading colons.
    def core?(node, *names) = names.include?(constant_name(node)&.delete_prefix("::"))
  end
end
