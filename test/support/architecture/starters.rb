# frozen_string_literal: true

module Architecture
  # The files that may start threads, Ractors and processes, and that may touch process-wide state.
  class Starters < Rule
    # The lab's controls are the plain Ruby that Raffia is measured against.
    CONTROLS = "lib/raffia/lab/control.rb"
    THREADS =
      %w[lib/raffia/executor/ lib/raffia/executor.rb lib/raffia/process/
        lib/raffia/process.rb lib/raffia/service/handle.rb
        lib/raffia/simulation/real_thread.rb lib/raffia/simulation/watchdog.rb].push(CONTROLS)
        .freeze
    FORKS = %w[lib/raffia/process/ lib/raffia/process.rb].push(CONTROLS).freeze
    HOOKS = %w[lib/raffia/base/signals.rb lib/raffia/base/fork.rb].freeze

    def visit_call_node(node)
      threads(node)
      forks(node)
      hooks(node)
      super
    end

    private

    def threads(node)
      unless core?(node.receiver, "Thread", "Ractor") && %i[new start fork].include?(node.name)
        return
      end
      return if source.in?(*THREADS)
      offend(node,
        "#{constant_name(node.receiver)}.#{node.name} outside of executor/, process/ and " \
        "lab/control.rb: use a pool, or be handed one")
    end

    def forks(node)
      return unless node.name == :fork && global?(node, "Process", "Kernel") && !source.in?(*FORKS)
      offend(node, "fork outside of process/: that component forks, watches and reaps")
    end

    def hooks(node)
      unless %i[trap at_exit].include?(node.name) && global?(node, "Signal", "Kernel", "Process") &&
          !source.in?(*HOOKS)
        return
      end
      offend(node, "#{node.name} outside of base/signals.rb and base/fork.rb: a process has one " \
        "of these; use Raffia::Signals")
    end

    def global?(node, *modules) = node.receiver.nil? || core?(node.receiver, *modules)
  end
end
