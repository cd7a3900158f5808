# frozen_string_literal: true

require_relative "../payload"

module Raffia
  module Jobs
    # A job to be kept.
    #
    # @!attribute [r] jid
    #   @return [String]
    # @!attribute [r] queue
    #   @return [String]
    # @!attribute [r] payload
    #   @return [String] see {Payload}
    # @!attribute [r] at
    #   @return [Float, nil] not before this time, in seconds since 1970
    # @!attribute [r] extras
    #   @return [Hash, nil] what its payload has under "raffia"
    Draft = Data.define(:jid, :queue, :payload, :at, :extras) do
      # @raise [ConfigError] for extras that no store could act on
      def initialize(extras:, **)
        complaint = Payload::FieldCheck.complaint(extras) if extras
        raise ConfigError, complaint if complaint

        super
      end

      # @param item [Hash] a whole payload; "at" becomes the time, and is not written
      # @return [Draft]
      def self.of(item)
        at = item["at"]
        item = item.except("at") if at
        new(jid: item["jid"], queue: item["queue"], payload: Payload.dump(item), at: at&.to_f,
          extras: item[Payload::OWN])
      end
    end

    # The right to work, until it runs out.
    #
    # @!attribute [r] token
    #   @return [Integer] higher than that of any lease before
    # @!attribute [r] ttl
    #   @return [Numeric] seconds
    Lease = Data.define(:identity, :token, :ttl)

    # A job that is ours while the lease holds.
    class Claim
      QUOTED = "\"#{Payload::OWN}\"".freeze
      private_constant :QUOTED

      # @return [Lease]
      attr_reader :lease
      # @return [Object] how the store finds it
      attr_reader :ref
      # @return [String]
      attr_reader :queue, :payload

      def initialize(lease, ref, queue, payload)
        @lease = lease
        @ref = ref
        @queue = queue
        @payload = payload
      end

      # @return [Array(Integer, Integer)] what tells it from all other claims of its lease, also
      #   those of the same job
      def key = @ref.is_a?(Array) ? @ref : [@ref, 0]

      # @return [Hash]
      # @raise [BadPayload]
      def item = @item ||= Payload.load(@payload)

      # @return [Hash, nil] whether a store has more to do than to forget the job. Most jobs have
      #   none, and need not be parsed for that
      def extras
        return unless @payload.include?(QUOTED)

        item[Payload::OWN]
      rescue BadPayload
        nil
      end
    end

    # A job as people and tools look at it.
    #
    # @!attribute [r] set
    #   @return [Symbol] of {Store::SETS}
    # @!attribute [r] at
    #   @return [Float, nil] when it is due, or was buried or claimed
    # @!attribute [r] ref
    #   @return [Object, nil] how the store finds it
    Entry = Data.define(:set, :queue, :payload, :at, :ref) do
      # @return [Hash] {} when it cannot be read
      def item
        Payload.load(payload)
      rescue BadPayload
        {}
      end

      # @return [String, nil]
      def jid = item["jid"]
    end

    # A job whose worker died.
    Recovered = Data.define(:jid, :queue, :crashes, :dead)

    # {Store#enqueue} happens only when this value is what it is expected to be, and then changes
    # it.
    Guard = Data.define(:key, :expect, :value)

    # What a worker has done since its last sign of life.
    #
    # @!attribute [r] classes
    #   @return [Hash{String => Hash}] class => {"processed", "failed", "ms" (of successes),
    #   "histogram" => 26 counts of successes, see {BOUNDS}}
    Tally = Data.define(:processed, :failed, :classes)

    class Tally
      # Upper ends of the histogram's buckets in milliseconds, as Sidekiq's Web draws them; the 26th
      # has none.
      BOUNDS = [20, 30, 45, 65, 100, 150, 225, 335, 500, 750, 1100, 1700, 2500, 3800, 5750, 8500,
        13_000, 20_000, 30_000, 45_000, 65_000,
        100_000, 150_000, 225_000, 335_000].freeze
    end
  end
end
