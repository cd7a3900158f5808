# frozen_string_literal: true

require_relative "check"

module Ledger
  module Checks
    # Each durable function is done; each of its steps was recorded once, and has one value in all
    # runs; a signal that was acknowledged arrived.
    class Functions < Check
      def initialize(store)
        super()
        @store = store
        @kept = {}
        @values = Hash.new { |all, id| all[id] = {} }
        @torn = {}
        @signalled = {}
        @taken = {}
      end

      def see(event, id, values, torn: false)
        case event
        when :kept_function then @kept[id] = values.split
        when :signalled then @signalled[id] = true
        when :taken then @taken[id] = values
        when :value
          jid, step = id.split("/")
          (@values[jid][step] ||= {})[values] = true
          @torn[jid] = true if torn
        end
      end

      def lost
        @lost ||= @kept.filter_map { |id, (kind, _)|
          status = @store.flow(id)&.fetch("status")
          "function #{id} (#{kind}) is #{status.inspect}" unless status == "done"
        } + @signalled.keys.select { |id| @taken[id] == "late" }.map { |id| "signal to #{id}" }
      end

      def doubled
        @values.except(*@torn.keys).flat_map { |id, steps|
          steps.select { |_, values| values.size > 1 }
            .map { |step, values| "step #{id}/#{step}: #{values.keys}" }
        } + recorded_again
      end

      def facts = {"functions" => @kept.size, "function steps" => recorded.values.sum(&:size)}

      private

      def recorded_again
        recorded.filter_map do |id, steps|
          again = steps.tally.select { |_, count| count > 1 }.keys
          "steps of #{id}: #{again}" if again.any?
        end
      end

      def recorded
        @recorded ||= @kept.keys.to_h do |id|
          [id, @store.flow_steps(id).map { |step| [step.kind, step.name] }]
        end
      end
    end
  end
end
