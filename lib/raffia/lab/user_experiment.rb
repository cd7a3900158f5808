# frozen_string_literal: true

require_relative "experiment"

module Raffia
  module Lab
    # An experiment that a {Definition} in a user's file describes.
    class UserExperiment < Experiment
      # The items and the value of setup, made before the measurement.
      Input = Data.define(:items, :value)

      # Its file; the process of each run loads it again.
      attr_reader :defined_in

      # values: see {Definition.read}.
      def initialize(values, defined_in)
        @values = values
        @defined_in = defined_in
        freeze
      end

      def name = @values[:name]

      def title = @values[:title]

      def variants = @values[:on]

      def controls
        @values[:controls].to_h do |name, block|
          [name, (Control::VARIANTS[name] unless block)]
        end
      end

      def workers(variant, cores) = workers?(variant) ? @values[:workers] || [cores] : [1]

      # The plain loop has as many threads as items.
      def workers?(variant) = !%i[inline plain_threads auto].include?(variant)

      def params(scale) = @values[:sizes].transform_values { |value| scaled(value, scale) }

      def baseline = @values[:baseline]

      def cpu_bound? = @values[:cpu_bound]

      def notes(_params) = @values[:notes]

      def set_up(setting)
        value = @values[:setup]&.call(setting.params)
        Input.new(items: items(setting.params, value), value:)
      end

      def warm_up(setting)
        few = items(setting.params, setting.given.value).first(@values[:warm_up])
        map(setting, few) unless few.empty?
      end

      def perform(setting) = map(setting, setting.given.items)

      def examine(setting, results)
        {checks: @values[:checks].transform_values { |check|
          check.call(results, setting.params, setting.given.value) ? true : false
        }}
      end

      def tear_down(setting) = @values[:teardown]&.call(setting.params, setting.given.value)

      # The checks ran in the process of the run, because results need not be of JSON's types.
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
        list = @values[:items] || params.values.first
        list = list.call(params, value) if list.is_a?(Proc)
        list.is_a?(Integer) ? 0...list : list
      end

      def map(setting, items)
        control = @values[:controls][setting.variant]
        return control.call(items, setting.workers) if control
        work = @values[:work]
        work = Ractor.make_shareable(work) if setting.variant == :plain_ractors
        Control.map(setting, items, work, **@values[:options])
      end
    end
  end
end
