# frozen_string_literal: true

require_relative "experiment"
require_relative "mapping"

module Raffia
  module Lab
    # An experiment that a {Definition} in a user's file describes.
    class UserExperiment < Experiment
      # Made before the measurement: the items, and the value of setup.
      Input = Data.define(:items, :value)

      # @return [String] the file that defines it; each run's process loads it again
      attr_reader :defined_in

      # @param said [Hash{Symbol => Object}] see {Definition.read}
      # @param defined_in [String]
      def initialize(said, defined_in)
        @said = said
        @defined_in = defined_in
        freeze
      end

      def name = @said[:name]

      def title = @said[:title]

      def variants = @said[:on]

      def controls
        @said[:controls].to_h do |name, block|
          [name, (block ? nil : name.to_s.delete_prefix("plain_").to_sym)]
        end
      end

      def workers(variant, cores) = workers?(variant) ? @said[:workers] || [cores] : [1]

      # The plain loop has as many threads as items.
      def workers?(variant) = !%i[inline plain_threads auto].include?(variant)

      def params(scale) = @said[:sizes].transform_values { |value| scaled(value, scale) }

      def baseline = @said[:baseline]

      def cpu_bound? = @said[:cpu_bound]

      def notes(_params) = @said[:notes]

      def set_up(setting)
        value = @said[:setup]&.call(setting.params)
        Input.new(items: items(setting.params, value), value:)
      end

      def warm_up(setting)
        few = items(setting.params, setting.given.value).first(@said[:warm_up])
        map(setting, few) unless few.empty?
      end

      def perform(setting) = map(setting, setting.given.items)

      def examine(setting, results)
        {checks: @said[:checks].transform_values { |check|
          check.call(results, setting.params, setting.given.value) ? true : false
        }}
      end

      def tear_down(setting) = @said[:teardown]&.call(setting.params, setting.given.value)

      # The checks were done where the results are, which need not be of JSON's types.
      def verify(_params, facts, _report) = facts[:checks].transform_keys(&:to_s)

      private

      def scaled(value, scale)
        case value
        when Integer then [(value * scale).round, 1].max
        when Float then value * scale
        else value
        end
      end

      def items(params, value)
        list = @said[:items] || params.values.first
        list = list.call(params, value) if list.is_a?(Proc)
        list.is_a?(Integer) ? 0...list : list
      end

      def map(setting, items)
        control = @said[:controls][setting.variant]
        return control.call(items, setting.workers) if control
        work = @said[:work]
        work = Ractor.make_shareable(work) if setting.variant == :plain_ractors
        Mapping.call(setting, items, work, **@said[:options])
      end
    end
  end
end
