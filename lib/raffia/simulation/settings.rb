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

      def self.number(name, value, type, least: 0)
        return if value.is_a?(type) && value >= least

        raise ConfigError, "#{name}: #{value.inspect} means nothing here: use a " \
          "#{"whole " if type == ::Integer}number from #{least} up"
      end

      def check
        check_numbers
        unless start.is_a?(::Time)
          raise ConfigError, "start: #{start.inspect} is no Time: use one, such as Time.utc(2038)"
        end

        choice(:preempt, preempt, self.class::PREEMPTIONS)
        Array(ignore).each { |kind| choice(:ignore, kind, self.class::FINDINGS) }
        Array(allow).each { |kind| choice(:allow, kind, self.class::OUTSIDE) }
        Fault.probabilities(faults)
        self
      end

      def ignore?(kind) = Array(ignore).include?(kind)

      def allow?(kind) = Array(allow).include?(kind)

      private

      def check_numbers
        self.class.number(:max_steps, max_steps, ::Integer, least: 1)
        self.class.number(:real_limit, real_limit, ::Numeric) if real_limit
        self.class.number(:virtual_limit, virtual_limit, ::Numeric) if virtual_limit
        self.class.number(:max_faults, max_faults, ::Integer) if max_faults
      end

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
