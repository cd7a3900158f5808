# frozen_string_literal: true

require_relative "payload"

module Raffia
  module Jobs
    # A job that belongs to a worker while its lease holds.
    class Claim
      QUOTED = "\"#{Payload::OWN}\"".freeze
      private_constant :QUOTED

      # @return [Lease]
      attr_reader :lease
      # @return [Object] the store's reference to it
      attr_reader :ref
      # @return [String]
      attr_reader :queue, :payload
      # @return [String, nil] JSON that {Store::Completion#ack} keeps for a job of a workflow
      attr_accessor :result
      # @return [Float, nil] seconds from the claim until its rate lets it begin; nil: at once
      attr_accessor :delay

      def initialize(lease, ref, queue, payload)
        @lease = lease
        @ref = ref
        @queue = queue
        @payload = payload
      end

      # Identifies it among all claims of its lease, also those of the same job: two Integers.
      def key = @ref.is_a?(Array) ? @ref : [@ref, 0]

      # @raise [BadPayload]
      def item = @item ||= Payload.load(@payload)

      # @return [Hash, nil] the fields under "raffia". Most payloads have none, and are not parsed
      def extras
        return unless @payload.include?(QUOTED)

        item[Payload::OWN]
      rescue BadPayload
        nil
      end
    end
  end
end
