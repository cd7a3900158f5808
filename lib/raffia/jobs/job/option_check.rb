# frozen_string_literal: true

require_relative "../payload"
require_relative "../rate_limit"
require_relative "../store/crash_verdict"

module Raffia
  module Jobs
    module Job
      # Rejects invalid options of a job class where they are declared.
      # @api private
      module OptionCheck
        # Values of `on:`.
        EXECUTORS = Payload::FieldCheck::EXECUTORS.map(&:to_sym).freeze
        POSITIVE = ->(value) { value.is_a?(Numeric) && value.positive? }
        COUNT = ->(value) { value.is_a?(Integer) && value.positive? }
        KEY = ->(value) { value.respond_to?(:call) || value.is_a?(String) }
        FLAG = ->(value) { value == true || value == false }
        # Higher priorities are those of suspects, see {Jobs::Store::CrashVerdict}.
        MOST = Jobs::Store::SUSPECTS
        private_constant :MOST
        ARGUMENTS = ->(value) {
          FLAG[value] || (value.is_a?(Array) && value.any? &&
            value.all? { |index| index.is_a?(Integer) && !index.negative? })
        }
        # Option => predicate, and what it accepts.
        RULES = {
          queue: [->(value) { value.is_a?(String) || value.is_a?(Symbol) }, "a name"],
          retry: [->(value) { FLAG[value] || (value.is_a?(Integer) && !value.negative?) },
            "true, false or a number from 0 up"],
          retry_for: [POSITIVE, "seconds"],
          tags: [->(value) { value.is_a?(Array) && value.all?(String) }, "an Array of Strings"],
          dead: [FLAG, "true or false"],
          backtrace: [->(value) { FLAG[value] || value.is_a?(Integer) },
            "true, false or a number of lines"],
          priority: [->(value) { value.is_a?(Integer) && value.abs < MOST },
            "a whole number within 2**49"],
          expires_in: [POSITIVE, "seconds"],
          timeout: [POSITIVE, "seconds"],
          on: [->(value) { EXECUTORS.include?(value) },
            "one of #{EXECUTORS.join(", ")}"],
          unique: [->(value) { [:start, :done, :window, false].include?(value) },
            "one of start, done, window, false"],
          unique_for: [POSITIVE, "seconds"],
          on_conflict: [->(value) { %i[skip raise replace].include?(value) },
            "one of skip, raise, replace"],
          limit: [COUNT, "a whole number from 1 up"],
          limit_key: [KEY, "a Proc or a String"],
          rate: [->(value) { value.is_a?(Integer) || value.is_a?(RateLimit) || value == false },
            "a number of starts, a RateLimit or false"],
          per: [POSITIVE, "seconds"],
          rate_style: [->(value) { RateLimit::STYLES.include?(value) },
            "one of #{RateLimit::STYLES.join(", ")}"],
          rate_burst: [COUNT, "a whole number from 1 up"],
          rate_key: [KEY, "a Proc or a String"],
          rate_cost: [->(value) { COUNT[value] || value.respond_to?(:call) },
            "a whole number from 1 up or a Proc"],
          fair_by: [->(value) { value.respond_to?(:call) || value == false }, "a Proc or false"],
          fair_weight: [->(value) { POSITIVE[value] || value.respond_to?(:call) },
            "a number above 0 or a Proc"],
          encrypt: [ARGUMENTS, "true, false or positions of arguments, from 0 up"],
          redact: [ARGUMENTS, "true, false or positions of arguments, from 0 up"]
        }.freeze

        # Options that mean nothing without another one.
        PARTS = {limit_key: :limit, per: :rate, rate_style: :rate, rate_burst: :rate,
                 rate_key: :rate, rate_cost: :rate, fair_weight: :fair_by}.freeze

        ::Ractor.make_shareable(RULES) if defined?(::Ractor)

        # Raises {ConfigError}.
        def self.options(job, given, before = {})
          given.each do |name, value|
            rule, wanted = RULES[name] ||
              raise(ConfigError, "#{job}: there is no option #{name}; there are " \
                "#{RULES.keys.join(", ")}")
            unless value.nil? || rule.call(value)
              raise ConfigError, "#{job}: #{name} must be #{wanted}, not #{value.inspect}"
            end
          end
          check_parts(job, given, {**before, **given})
          check_rate(job, {**before, **given}) if given.key?(:rate)
          if given[:unique] == :window && !{**before, **given}[:unique_for]
            raise ConfigError, "#{job}: unique: :window needs unique_for: seconds"
          end
        end

        # Raises {ConfigError}. The option may be declared by a superclass, or be false or nil.
        def self.check_parts(job, given, all)
          alone = PARTS.find { |part, whole| given[part] && !all.key?(whole) } or return

          raise ConfigError, "#{job}: #{alone.first}: has no effect without #{alone.last}:"
        end
        private_class_method :check_parts

        # Raises {ConfigError}.
        def self.check_rate(job, options)
          return unless options[:rate].is_a?(Integer)

          raise ConfigError, "#{job}: rate: needs per: seconds" unless options[:per]

          RateLimit.rule(options[:rate], options[:per], options[:rate_style] || :window,
            options[:rate_burst], "#{job}: the rate")
        end
      end
    end
  end
end
