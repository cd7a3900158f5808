# frozen_string_literal: true

module Bench
  # A program to compare.
  #
  # @!attribute group
  #   @return [Symbol, nil] only targets of one group are rivals
  # @!attribute gem
  #   @return [String, nil] the gem that must be there
  # @!attribute trouble
  #   @return [Proc] to what else is missing, in words, or nil
  # @!attribute env
  #   @return [Hash] how its process is started
  # @!attribute share
  #   @return [Hash{String => Float}] the part of a workload's operations that it does: what is slow
  #   need not take minutes
  # @!attribute without
  #   @return [Hash{String => String, nil}] workloads that it is not asked to do, and why; nil where
  #   that needs no word
  # @!attribute open
  #   @return [Proc] makes what does the work; it fails when the target is not really what it is
  #   called (a silent fall-back, say)
  # @!attribute reference
  #   @return [Boolean] whether it is measured for comparison, and is none of the Ruby targets that
  #   ours should be ahead of
  Target = Data.define(:name, :open, :group, :gem, :trouble, :env, :share, :without, :reference) do
    def initialize(name:, open:, group: nil, gem: nil, trouble: -> {}, env: {}, share: {},
      without: {}, reference: false)
      super
    end

    def share_of(plan) = share.fetch(plan.name, 1.0)

    def ours? = name.start_with?("raffia")

    def rival? = !ours? && !reference
  end
end
