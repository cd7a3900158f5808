# frozen_string_literal: true

require_relative "payload"

module Raffia
  module Jobs
    # Selects jobs of a store by what they are; a criterion that is nil lets all through.
    # @api private
    class JobFilter
      # `tenant`: the key of a job's fair queue, or of its rate, with or without the rate's name.
      # `older_than`: seconds since a dead job died, else since the job was made.
      CRITERIA = %i[queue class_name error older_than tenant match].freeze

      def initialize(**criteria)
        unknown = criteria.keys - CRITERIA
        raise ArgumentError, "unknown: #{unknown.join(", ")}" unless unknown.empty?

        @criteria = criteria.compact
      end

      def empty? = @criteria.empty?

      # Conditions that the store can check itself.
      def for_store(set)
        {match: @criteria[:match], queue: (@criteria[:queue] if set == :queue)}.compact
      end

      def match?(entry, now)
        item = entry.item
        @criteria.all? { |name, value| holds?(name, value, entry, item, now) }
      end

      private

      def holds?(name, value, entry, item, now)
        case name
        when :queue then entry.queue == value
        when :class_name then [item["class"], Payload.class_name(item)].include?(value)
        when :error then error?(item, value)
        when :older_than then made_at(entry, item) <= now - value
        when :tenant then tenant?(item, value)
        when :match then entry.payload.include?(value)
        end
      end

      def error?(item, value)
        item.values_at("error_class", "error_message").any? { |text| text.to_s.include?(value) }
      end

      def made_at(entry, item)
        (entry.set == :dead && entry.at) ||
          Payload.time(item["created_at"] || item["enqueued_at"]) || Float::INFINITY
      end

      def tenant?(item, value)
        own = item[Payload::OWN]
        return false unless own.is_a?(Hash)

        fair, rate = %w[fair rate].map { |name| own[name].is_a?(Hash) ? own[name]["key"] : nil }
        fair == value || rate == value || rate.to_s.end_with?(":#{value}")
      end
    end
  end
end
