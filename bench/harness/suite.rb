# frozen_string_literal: true

module Bench
  # Targets that are compared at workloads. A suite lies in a folder of bench/ with its name, where
  # child.rb measures one sample of one target at one workload and prints it as JSON:
  #
  #     ruby -Ilib bench/NAME/child.rb TARGET WORKLOAD SCALE [count]
  #
  # @!attribute plans
  #   @return [Hash{String => #name, #title, #unit}] the workloads
  # @!attribute usual
  #   @return [Array<Target>] those that are measured unless others are asked for
  # @!attribute prepare
  #   @return [Proc] what has to be done once, before the runs
  # @!attribute trouble
  #   @return [Proc] a plan to why it cannot be run here, or nil
  # @!attribute semantics
  #   @return [Proc] targets, options and gems to what each target does differently from what
  #   programs expect
  # @!attribute related
  #   @return [Array<String>] gems that the figures depend on besides the targets' own
  # @!attribute boot
  #   @return [Numeric, Proc] seconds that a run may take besides, until what is measured is there;
  #   of a plan, if they differ
  # @!attribute usual_plans
  #   @return [Array] likewise
  # @!attribute figures
  #   @return [Hash{Symbol => String}] further figures of samples, each a table of the page with
  #   this title
  # @!attribute smoke
  #   @return [Boolean] whether all is tried in small before it is measured, so that what hangs does
  #   so only once, and soon
  # @!attribute columns
  #   @return [Array<Symbol>] which tables the page has besides: :syscalls, :allocations, :memory,
  #   :pss, :seconds, :waiting
  Suite = Data.define(:name, :targets, :plans, :usual, :prepare, :trouble, :semantics, :related,
    :columns,
    :boot, :usual_plans, :figures, :smoke) do
    def initialize(name:, targets:, plans:, usual: targets.values, usual_plans: plans.values,
      figures: {}, smoke: true, prepare: -> {}, trouble: ->(_plan) {}, semantics: ->(*) { {} },
      related: [], columns: [], boot: 0)
      super
    end

    # @return [String]
    def child = "bench/#{name}/child.rb"

    # @return [String] where it says more
    def main = "bench/#{name}/main.rb"
  end
end
