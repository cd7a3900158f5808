# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    # A rate that several classes of jobs share, in all workers:
    #
    #     CRM = Raffia::Jobs::RateLimit.new("crm", 60, per: 60)
    #
    #     class SyncJob
    #       include Raffia::Job
    #       options rate: CRM, rate_key: ->(account, *) { account }
    #     end
    #
    #     CRM.change(30)               # for jobs that are enqueued already, too
    #     CRM.close(120, 7)            # the account 7 starts no job for two minutes
    #     CRM.status(7)["opens_at"]
    #
    # A job over its rate waits in `blocked`. It is not claimed, is no retry, and holds up no job of
    # another key.
    class RateLimit
      # Kinds: at most so many starts in any such time, or a bucket that is filled continuously.
      STYLES = %i[window bucket].freeze
      # Starts, at most: a window keeps the time of each.
      MOST = Payload::FieldCheck::RATE
      # Bytes of a key.
      LONGEST = 200
      private_constant :LONGEST

      # @return [String]
      attr_reader :name
      # @return [Hash{String => Object}] "allow", "per", "style" and, for a bucket, "burst"
      attr_reader :rule

      # @param name [String, Symbol]
      # @param allow [Integer] starts, 1 to 10,000
      # @param per [Numeric] in so many seconds
      # @param style [Symbol] :window, or :bucket for an even flow
      # @param burst [Integer, nil] starts that a full bucket allows at once, by default those of
      #   one second
      # @raise [ConfigError]
      def initialize(name, allow, per:, style: :window, burst: nil)
        @name = name.to_s.freeze
        @rule = RateLimit.rule(allow, per, style, burst, "the rate #{name}")
        freeze
      end

      # @raise [ConfigError]
      # @api private
      def self.rule(allow, per, style, burst, owner)
        check(owner, "allow a whole number from 1 to #{MOST}", allow, count?(allow))
        check(owner, "have per: seconds above 0", per, per.is_a?(Numeric) && per.positive?)
        check(owner, "be of one of the styles #{STYLES.join(", ")}", style, STYLES.include?(style))
        check(owner, "have a burst from 1 to #{MOST}, or none", burst,
          burst.nil? || count?(burst))
        burst ||= (allow / per.to_f).ceil.clamp(1..MOST) if style == :bucket
        {"allow" => allow, "per" => per, "style" => style.name, "burst" => burst}.compact.freeze
      end

      # @param part [Object] as `rate_key` returned it; nil: all jobs share the limit
      # @return [String] under which the store counts
      def key(part = nil) = RateLimit.key(@name, part)

      # Long keys are shortened by a digest, because databases limit an index.
      # @api private
      def self.key(name, part)
        key = part.nil? ? name : "#{name}:#{part}"
        return key if key.bytesize <= LONGEST

        "#{key.byteslice(0, LONGEST / 2).scrub("")}:#{Digest::SHA256.hexdigest(key)}"
      end

      # Changes the rate for all jobs, also those that are enqueued already, until {#reset}.
      # @raise [ConfigError]
      def change(allow, per: @rule["per"], style: @rule["style"].to_sym, burst: @rule["burst"])
        Jobs.store.change_rate(@name, RateLimit.rule(allow, per, style, burst, "the rate #{@name}"))
      end

      # Goes back to the rate of {#initialize}.
      def reset = Jobs.store.change_rate(@name, nil)

      # Starts no job for so many seconds, because the other side asked for a pause.
      # @param seconds [Numeric]
      # @param part [Object, nil] only jobs of this part
      def close(seconds, part = nil) = Jobs.store.close_rate(key(part), seconds)

      # @return [Hash] see {Store::Rates#rate}
      def status(part = nil) = Jobs.store.rate(key(part))

      class << self
        private

        def count?(value) = value.is_a?(Integer) && value.between?(1, MOST)

        def check(owner, wanted, value, valid)
          raise ConfigError, "#{owner} must #{wanted}, not #{value.inspect}" unless valid
        end
      end
    end
  end
end
