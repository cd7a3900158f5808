# frozen_string_literal: true

module Raffia
  module Jobs
    # A job as people and tools see it.
    #
    # @!attribute [r] set
    #   @return [Symbol] of {Store::SETS}
    # @!attribute [r] at
    #   @return [Float, nil] when it is due, or was buried or claimed
    # @!attribute [r] ref
    #   @return [Object, nil] the store's reference to it
    Entry = Data.define(:set, :queue, :payload, :at, :ref) do
      # @return [Hash] {} when it cannot be read
      def item = Payload.fields(payload)

      # @return [String, nil]
      def jid = item["jid"]
    end
  end
end
