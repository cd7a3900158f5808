# frozen_string_literal: true

module Architecture
  # No monkey patches outside of compat/: nothing of Ruby's own, or of a gem's, is reopened or
  # changed.
  class Patches < Rule
    OURS = "Raffia"
    CHANGES = %i[prepend include extend class_eval module_eval class_exec module_exec define_method
      define_singleton_method
      alias_method remove_method undef_method remove_const].freeze
    # Process._fork is the hook that Ruby made to be prepended to. Error messages in Ractors:
    # docs/adr/0019. IO.copy_stream and File#flock, which have no hook: docs/adr/0018. A simulation
    # replaces clocks and threads: docs/adr/0031. `raffia explore` leaves ordinary tests out.
    EXCEPTIONS = %w[lib/raffia/compat/ lib/raffia/base/fork.rb
      lib/raffia/executor/ractors/error_messages.rb
      lib/raffia/scheduler/core_methods.rb
      lib/raffia/simulation/core_methods.rb lib/raffia/simulation/core_methods/
      lib/raffia/simulation/test_selection.rb].freeze
    # Rails and Rackup look their adapters up under these names.
    OWN_NAMESPACE = %w[lib/active_job/ lib/rackup/].freeze
    # Asked of a Ruby that has loaded nothing else: what gems of other tests define at the top level
    # (a Job, say) is not meant by a name of ours.
    RUBYS = IO.popen([{"RUBYOPT" => nil}, RbConfig.ruby, "-rjson", "-rlogger", "-ropenssl",
      "-rsocket", "-rtimeout", "-e", "puts Object.constants"],
      &:readlines).to_h { |line| [line.chomp, true] }.freeze

    def visit_class_node(node) = opened(node) { super }

    def visit_module_node(node) = opened(node) { super }

    def visit_singleton_class_node(node)
      if foreign?(node.expression)
        offend(node, "class << #{constant_name(node.expression)} changes what is not Raffia's")
      end
      super
    end

    def visit_def_node(node)
      if foreign?(node.receiver)
        offend(node, "def #{constant_name(node.receiver)}.#{node.name} changes what is not " \
          "Raffia's")
      end
      super
    end

    def visit_call_node(node)
      if CHANGES.include?(node.name) &&
          (foreign?(node.receiver) || foreign_singleton?(node.receiver))
        offend(node, "#{node.name} on #{node.receiver.slice} changes what is not Raffia's")
      end
      super
    end

    private

    def offend(node, rule)
      if source.in?(*EXCEPTIONS)
        nil
      else
        super(node, "#{rule}: a monkey patch, and those live in compat/ only")
      end
    end

    # The outermost module of a file is ours, or the file patches something.
    def opened(node)
      name = constant_name(node.constant_path).delete_prefix("::")
      outermost = (@depth ||= 0).zero? || constant_name(node.constant_path).start_with?("::")
      if outermost && name.split("::").first != OURS && !source.in?(*OWN_NAMESPACE)
        offend(node, "#{name} is opened at the top level")
      end
      @depth += 1
      yield
    ensure
      @depth -= 1
    end

    # A constant that Ruby itself has. Inside Raffia a bare name may be ours, so only what is
    # certain counts: ::Name, or a core class that Raffia has no constant of.
    def foreign?(node)
      name = constant_name(node) or return false
      return false if name.delete_prefix("::").split("::").first == OURS
      name.start_with?("::") ||
        (RUBYS.key?(name.split("::").first) && !Components::CONSTANTS.key?(name.to_sym) &&
          name != "Process")
    end

    def foreign_singleton?(node)
      node.is_a?(Prism::CallNode) && node.name == :singleton_class && foreign?(node.receiver)
    end
  end
end
