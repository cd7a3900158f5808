# frozen_string_literal: true

module Raffia
  module Jobs
    # A recorded step of a durable function.
    #
    # @!attribute [r] place
    #   @return [String] its number, after the numbers of the branch that it is in
    # @!attribute [r] kind
    #   @return [String] such as "step", "sleep", "wait", "child"
    # @!attribute [r] name
    #   @return [String]
    # @!attribute [r] value
    #   @return [String, nil] JSON; nil while the function waits here
    # @!attribute [r] at
    #   @return [Float, nil] when a wait ends, in seconds since 1970
    # @!attribute [r] signal
    #   @return [String, nil] name of the signal that ends a wait
    FlowStep = Data.define(:place, :kind, :name, :value, :at, :signal) do
      def initialize(place:, kind:, name:, value: nil, at: nil, signal: nil)
        super
      end

      # @return [Boolean] whether the function waits here
      def pending? = value.nil?
    end
  end
end
