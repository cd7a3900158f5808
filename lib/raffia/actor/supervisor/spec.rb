# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # Strategy and limits of a supervisor, and its first children.
      #
      # strategy:: :one_for_one, :one_for_all or :rest_for_one
      # intensity:: how many restarts there may be within the period; nil: any number
      # period:: seconds
      # backoff:: seconds before the second restart of a child in a row, doubled for each further
      #           one; the first does not wait. 0: none waits
      # max_backoff:: seconds to wait at most
      # auto_shutdown:: :never; or :any_significant, :all_significant: when such children have ended
      #                 for good
      # specs:: {ChildSpec}s
      Spec = Data.define(:strategy, :intensity, :period, :backoff, :max_backoff, :auto_shutdown,
        :specs) do
        def initialize(strategy: :one_for_one, intensity: 3, period: 5, backoff: 0.01,
          max_backoff: 5, auto_shutdown: :never, specs: [].freeze)
          Actor::Settings.one_of(:strategy, strategy, Spec::STRATEGIES)
          Actor::Settings.one_of(:auto_shutdown, auto_shutdown, Spec::AUTO_SHUTDOWN)
          if intensity && !(intensity.is_a?(Integer) && intensity >= 0)
            raise ConfigError, "intensity: #{intensity.inspect} means nothing here: give a whole " \
              "number, or nil for any number of restarts"
          end
          [period, backoff, max_backoff].each { |seconds| Deadline.seconds(seconds) }
          super
        end
      end

      class Spec
        # Which siblings restart with a child.
        STRATEGIES = %i[one_for_one one_for_all rest_for_one].freeze
        # Which children's ends end the supervisor.
        AUTO_SHUTDOWN = %i[never any_significant all_significant].freeze
        # Members that the user sets.
        SETTINGS = (members - [:specs]).freeze

        # With one more child. Raises ConfigError when its id is taken.
        def plus(spec)
          if spec.named? && specs.any? { |other| other.id == spec.id }
            raise ConfigError, "there are two children #{spec.id.inspect}: give one of them " \
              "another id:"
          end

          with(specs: [*specs, Children.number(spec, specs)].freeze)
        end

        # Seconds to wait before one more restart in a row, with jitter: siblings may have failed by
        # the same cause.
        def delay(restarts)
          return 0 if restarts.zero? || backoff.zero?

          [backoff * 2**[restarts - 1, 30].min, max_backoff].min * (0.75 + rand / 4)
        end
      end
    end
  end
end
