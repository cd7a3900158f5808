# frozen_string_literal: true

module Architecture
  # Which constants a file may name: no component that it must not know, no ENV outside of the
  # configuration, and never a bare `Process`, which inside `module Raffia` is our component and not
  # Ruby's module.
  class Constants < Rule
    CONFIGURATION = "lib/raffia/base/config.rb"

    def visit_constant_read_node(node)
      env(node) if node.name == :ENV
      knows(node, node.name)
      if node.name == :Process && !Components.allowed?(source.component, "process")
        bare_process(node)
      end
    end

    def visit_constant_path_node(node)
      env(node) if constant_name(node) == "::ENV"
      knows(node, node.name) if core?(node.parent, "Raffia")
      # A::Process is whatever A has; only the outermost name is looked up in Raffia.
      visit(node.parent) if node.parent
    end

    # `class Scheduler` and `module Process` name themselves: the component that they open is
    # checked by its file's path.
    def visit_class_node(node)
      [node.superclass, node.body].compact.each { |part| visit(part) }
    end

    def visit_module_node(node)
      visit(node.body) if node.body
    end

    def visit_call_node(node)
      if node.receiver.is_a?(Prism::ConstantReadNode) && node.receiver.name == :Process
        offend(node,
          "Process.#{node.name}: inside Raffia that is our component; write ::Process for " \
          "Ruby's, Raffia::Process for ours")
        [node.arguments, node.block].compact.each { |part| visit(part) }
      else
        super
      end
    end

    private

    def env(node)
      return if source.in?(CONFIGURATION)
      offend(node, "ENV outside of base/config.rb: read it there once, and hand the Config down")
    end

    def knows(node, name)
      component = Components::CONSTANTS[name]
      if component.nil? || source.component.nil? || Components.allowed?(source.component, component)
        return
      end
      offend(node, "#{source.component} names #{name}: it must not know the component #{component}")
    end

    def bare_process(node)
      offend(node, "bare Process: inside Raffia that is our component; write ::Process for Ruby's")
    end
  end
end
