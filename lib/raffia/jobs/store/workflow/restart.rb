# frozen_string_literal: true

module Raffia
  module Jobs
    class Store
      module Workflow
        # Takes ends back: of one dead node, or of a step and all that depend on it.
        class Restart
          def initialize(table)
            @table = table
            @record = table.record
          end

          # A dead node goes on. Those that were skipped because of it wait again.
          def reopen(node)
            open_again(node, "active")
            open = [node]
            while (node = open.shift)
              @table.dependants(node.name).each do |name|
                dependant = @table.node(name)
                state = state_after(dependant, node) or next
                open << dependant if dependant.ended?
                count_again(dependant, state)
              end
            end
          end

          # Returns the nodes to start. Raises {Error}.
          def reset(name)
            check(name)
            nodes = closure(name)
            active = nodes.each_value.find(&:active?)
            refuse("its step #{active.name} runs: cancel it, or wait for it") if active

            nodes.each_value { |node| clear(node) }
            nodes.each_value { |node| count(node, nodes) }
            nodes.values.select { |node| node.missing.zero? }
          end

          private

          # The state of a dependant that counts again, nil when it does not.
          def state_after(dependant, node)
            return dependant.state if dependant.waits_for?(node)
            return "waiting" if dependant.skipped?

            "active" if dependant.each? && dependant.dead? && node.parent == dependant.name
          end

          def count_again(dependant, state)
            open_again(dependant, state) if dependant.ended?
            dependant.missing += 1
            dependant.bad -= 1
            @table.changed(dependant)
          end

          def open_again(node, state)
            @record.pending += 1 if node.ended?
            @record.dead -= 1 if node.dead?
            node.state = state
            node.ended = node.error = nil
            @table.changed(node)
          end

          def check(name)
            node = @table.node(name) or refuse("it has no step #{name}")
            unless %w[running done failed cancelled].include?(@record.state)
              refuse("it is #{@record.state}: start another one")
            end
            return unless node.parent || node.undo?

            refuse("#{name} is no step of its own: requeue its job, or retry from #{node.parent}")
          end

          def refuse(why)
            raise Error, "workflow #{@record.id} cannot be retried: #{why}"
          end

          def closure(name)
            found = {}
            open = [name]
            while (name = open.shift)
              next if found[name]

              found[name] = @table.node(name)
              open.concat(@table.dependants(name))
            end
            found
          end

          def clear(node)
            if node.each?
              @record.dead -= @table.children(node.name).count(&:dead?)
              @table.remove_children(node.name)
            end
            open_again(node, "waiting")
            node.result = node.jid = nil
          end

          def count(node, nodes)
            before = node.predecessors.map { |name| @table.node(name) }
            node.missing = before.count { |one| nodes.key?(one.name) || !one.ended? }
            node.bad = before.count { |one| one.ended? && !one.done? }
          end
        end
      end
    end
  end
end
