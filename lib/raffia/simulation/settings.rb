# frozen_string_literal: true

module Raffia
  module Simulation
    # The options of a run that the program can feel.
    #
    # @api private
    Settings = ::Data.define(:start, :preempt, :preempt_in, :max_steps, :virtual_limit,
      :real_limit, :ignore, :allow, :faults, :max_faults, :races) do
      def self.build(**options)
        unknown = options.keys - members
        unless unknown.empty?
          raise ConfigError, "Simulation knows no option #{unknown.first.inspect}: use one of " \
            "#{(members + self::OF_EXPLORE).join(", ")}"
        end

        new(**self::DEFAULTS, **options).check
      end

      def check
        choice(:preempt, preempt, self.class::PREEMPTIONS)
        ignore.each { |kind| choice(:ignore, kind, self.class::FINDINGS) }
        allow.each { |kind| choice(:allow, kind, self.class::OUTSIDE) }
        Fault.probabilities(faults)
        self
      end

      def ignore?(kind) = ignore.include?(kind)

      def allow?(kind) = allow.include?(kind)

      private

      def choice(name, value, values)
        return if values.include?(value)

        raise ConfigError, "#{name}: #{value.inspect} means nothing here: use " \
          "#{values.map(&:inspect).join(", ")}"
      end
    end

    class Settings
      # When threads may be switched without a wait: where CRuby does, or never.
      PREEMPTIONS = %i[cruby none].freeze
      # Findings that may be ignored.
      FINDINGS = %i[leaks unjoined livelocks lock_order lost_wakeups races].freeze
      # Real things that a run may be allowed to use.
      OUTSIDE = %i[processes sockets].freeze
      OF_EXPLORE = %i[runs seconds seed strategy depth bound].freeze
      DEFAULTS = {start: ::Time.utc(2000), preempt: :cruby, preempt_in: nil, max_steps: 10_000,
                  virtual_limit: nil, real_limit: 30, ignore: [].freeze, allow: [].freeze,
                  faults: {}.freeze, max_faults: nil, races: false}.freeze
    end
  end
end
