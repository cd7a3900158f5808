# frozen_string_literal: true

module Architecture
  # The engine completes operations; who waits for them, and by which hook of core's, is the
  # scheduler's business. So the engine neither defines, nor calls, nor names by a Symbol what
  # Fiber::Scheduler lists.
  class Hooks < Rule
    NAMES = %i[io_wait io_read io_write io_pread io_pwrite io_select io_close kernel_sleep
      process_wait address_resolve timeout_after
      fiber_interrupt blocking_operation_wait scheduler_close].freeze
    # Words that mean other things too: only a method of that name is a hook. (`run` and `close`
    # mean too much to say anything.)
    DEFINED = (NAMES + %i[block unblock fiber yield]).freeze

    def visit_def_node(node)
      known(node, node.name, DEFINED)
      super
    end

    def visit_alias_method_node(node)
      known(node, node.new_name.unescaped.to_sym, DEFINED) if node.new_name.is_a?(Prism::SymbolNode)
      super
    end

    def visit_call_node(node)
      known(node, node.name, NAMES)
      super
    end

    def visit_symbol_node(node)
      known(node, node.unescaped.to_sym, NAMES)
      super
    end

    private

    def known(node, name, names)
      return unless source.component == "engine" && names.include?(name)
      offend(node, "the engine knows #{name}, a hook of the Fiber scheduler: that is the " \
        "scheduler's business")
    end
  end
end
