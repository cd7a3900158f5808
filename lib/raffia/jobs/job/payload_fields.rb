# frozen_string_literal: true

require "digest"

module Raffia
  module Jobs
    module Job
      # Converts options to fields of payloads.
      # @api private
      module PayloadFields
        # Options that are fields of the payload, as in Sidekiq.
        PLAIN = %i[queue retry retry_for tags dead backtrace].freeze
        # Options that are fields under "raffia", see {Jobs::Payload}.
        OWN = %i[priority expires_in timeout on unique unique_for on_conflict limit
          limit_key].freeze

        module_function

        # Fields that do not depend on the arguments.
        def plain(options)
          item = options.slice(*PLAIN).compact.transform_keys(&:to_s)
          item["queue"] = item["queue"].to_s if item.key?("queue")
          item.freeze
        end

        # Fields under "raffia", nil when there are none; +now+ in seconds since 1970.
        def own(options, name, args, now)
          return if OWN.none? { |option| options.key?(option) }

          own = {
            "priority" => options[:priority], "timeout" => options[:timeout],
            "on" => options[:on]&.to_s,
            "expires_at" => (now + options[:expires_in] if options[:expires_in]),
            "unique" => unique(options, name, args), "limit" => limit(options, name, args)
          }.compact
          own unless own.empty?
        end

        def unique(options, name, args)
          return unless options[:unique]

          key = "#{name}:#{Digest::SHA256.hexdigest(JSON.generate(args))[0, 32]}"
          {"key" => key, "until" => options[:unique].to_s, "for" => options[:unique_for],
           "conflict" => (options[:on_conflict] || :skip).to_s}.compact
        end

        def limit(options, name, args)
          return unless options[:limit]

          key = options[:limit_key]
          own = key.respond_to?(:call) ? key.call(*args).to_s : key
          {"key" => own ? "#{name}:#{own}" : name, "max" => options[:limit]}
        end
      end
    end
  end
end
