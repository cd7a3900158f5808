# frozen_string_literal: true

require_relative "check"

module Ledger
  module Checks
    # Each workflow ends as its kind does; each of its steps has one effect by its name, and the
    # store took one end of each.
    class Workflows < Check
      def initialize(store)
        super()
        @store = store
        @kept = {}
        @acked = Hash.new(0)
        @effects = Hash.new { |all, id| all[id] = {} }
      end

      def see(event, id, values, torn: false)
        case event
        when :kept_workflow then @kept[id] = values.split
        when :acked_node then @acked[id] += 1
        when :effect then note(*id.split("/"), values)
        end
      end

      def lost = @lost ||= @kept.filter_map { |id, (kind, count)| fault_of(id, kind, count.to_i) }

      def doubled
        @acked.select { |_, count| count > 1 }.keys.map { |node| "step #{node}" } +
          @effects.slice(*@kept.keys).flat_map { |id, steps|
            steps.select { |_, values| values.size > 1 }
              .map { |step, values| "step #{id}/#{step}: #{values}" }
          }
      end

      def facts = {"workflows" => @kept.size, "steps" => @acked.size}

      private

      def note(id, step, value)
        @effects[id][step] = [*@effects[id][step]] | [value]
      end

      def fault_of(id, kind, count)
        wanted = kind.end_with?("UndoneFlow") ? "undone" : "done"
        state = @store.workflow(id)&.fetch("state")
        return "workflow #{id} (#{kind}) is #{state.inspect}" unless state == wanted

        found = @effects[id].transform_values(&:first)
        "workflow #{id} (#{kind} #{count}): #{found}" unless complete?(id, kind, count, found)
      end

      def complete?(id, kind, count, found)
        case kind[/\w+\z/]
        when "SumFlow" then sum?(count, found) && found["last"] == squares(count)
        when "NestedFlow"
          sum?(count, @effects["#{id}.inner"].transform_values(&:first)) &&
            found == %w[sealed function last].to_h { |step| [step, count.to_s] }
        else found.keys == %w[one two undo_two undo_one]
        end
      end

      def sum?(count, found)
        found.key?("list") && found["sum"] == squares(count) && found.size == count + 3
      end

      def squares(count) = (1..count).sum { |number| number * number }.to_s
    end
  end
end
