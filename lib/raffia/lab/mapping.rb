# frozen_string_literal: true

require_relative "control/processes"
require_relative "control/ractors"
require_relative "control/threads"

module Raffia
  module Lab
    # The one place where the lab's work meets what it measures: Raffia.map, or plain Ruby in a
    # control.
    module Mapping
      CONTROLS = {plain_processes: Control::Processes, plain_ractors: Control::Ractors,
                  plain_threads: Control::Threads}.freeze

      # @param setting [Setting]
      # @param items [Enumerable]
      # @param work [Work, Proc] called with each item
      # @param options [Hash] for Raffia.map; the controls have none
      # @return [Array] what the work returned, in the order of the items
      def self.call(setting, items, work, **options)
        control = CONTROLS[setting.variant]
        return control.map(items.to_a, setting.workers, work) if control
        workers = setting.workers unless setting.variant == :auto
        Raffia.map(items, on: setting.variant, workers: workers, **options, &work)
      end
    end
  end
end
