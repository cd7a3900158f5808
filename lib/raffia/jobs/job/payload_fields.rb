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
        OWN = %i[priority expires_in timeout on unique limit rate fair_by encrypt redact]
          .freeze
        # Options that hide arguments.
        SECRETS = %i[encrypt redact].freeze

        module_function

        # Fields that do not depend on the arguments.
        def plain(options)
          item = options.slice(*PLAIN).compact.transform_keys(&:to_s)
          item["queue"] = item["queue"].to_s if item.key?("queue")
          item.freeze
        end

        # Whether there may be any under "raffia".
        def own?(options) = OWN.any? { |option| options.key?(option) }

        # Those that hide arguments.
        def secrets(options) = options.slice(*SECRETS).compact.transform_keys(&:to_s).freeze

        # Fields under "raffia", nil when there are none; +now+ in seconds since 1970.
        def own(options, name, args, now)
          return unless own?(options)

          own = {
            "priority" => options[:priority], "timeout" => options[:timeout],
            "on" => options[:on]&.to_s,
            "expires_at" => (now + options[:expires_in] if options[:expires_in]),
            "unique" => unique(options, name, args), "limit" => limit(options, name, args),
            "rate" => rate(options, name, args), "fair" => fair(options, args),
            "encrypt" => options[:encrypt], "redact" => options[:redact]
          }.compact
          own unless own.empty?
        end

        def unique(options, name, args)
          return unless options[:unique]

          text = JSON.generate(args)
          digest = options[:encrypt] ? Encryption.digest("#{name}:#{text}") :
            Digest::SHA256.hexdigest(text)[0, 32]
          key = "#{name}:#{digest}"
          {"key" => key, "until" => options[:unique].to_s, "for" => options[:unique_for],
           "conflict" => (options[:on_conflict] || :skip).to_s}.compact
        end

        def limit(options, name, args)
          return unless options[:limit]

          own = key_of_arguments(options, :limit_key, args)
          own = own.to_s if options[:limit_key].respond_to?(:call)
          {"key" => own ? "#{name}:#{own}" : name, "max" => options[:limit]}
        end

        def rate(options, name, args)
          return unless (rate = options[:rate])

          unless rate.is_a?(RateLimit)
            rate = RateLimit.new(name, rate, per: options[:per], burst: options[:rate_burst],
              style: options[:rate_style] || :window)
          end
          {"name" => rate.name, "key" => rate.key(key_of_arguments(options, :rate_key, args)),
           **rate.rule, "cost" => of_arguments(options[:rate_cost], args)}.compact
        end

        def fair(options, args)
          return unless options[:fair_by]

          {"key" => key_of_arguments(options, :fair_by, args).to_s,
           "weight" => of_arguments(options[:fair_weight], args)}.compact
        end

        # The store compares these keys, so an encrypted job has a digest of them.
        def key_of_arguments(options, name, args)
          option = options[name]
          return option unless option.respond_to?(:call)

          key = option.call(*args)
          (options[:encrypt] && !key.nil?) ? Encryption.digest(key) : key
        end

        def of_arguments(option, args) = option.respond_to?(:call) ? option.call(*args) : option
      end
    end
  end
end
