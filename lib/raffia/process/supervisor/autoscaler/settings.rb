# frozen_string_literal: true

require "etc"

module Raffia
  module Process
    class Supervisor
      class Autoscaler
        # Settings of an autoscaler. Times are seconds.
        #
        # range:: the fewest and the most workers that it may keep, without those before +first+
        # load:: a callable: gets a slot's index, the row of its worker and the worker's pid.
        #        Returns a Hash with +wait+ (seconds that requests wait at the worker now) and
        #        +occupancy+ (0..1, how much of what it may do at a time it does)
        # first:: slots before this one are not counted, and stay
        # interval:: between two decisions
        # shrink_after:: for which a worker less must have been enough; nil: none is ended
        # cpus:: that this program may use
        Settings = Data.define(:range, :load, :first, :interval, :shrink_after, :cpus) do
          # @raise [ConfigError] for a range that is none
          def initialize(range:, load: ->(*) { {} }, first: 0, interval: 1.0, shrink_after: 300,
            cpus: Etc.nprocessors)
            unless range.is_a?(Range) && range.begin.is_a?(Integer) && range.end.is_a?(Integer) &&
                range.begin.positive? && range.begin <= range.end
              raise ConfigError, "#{range.inspect} workers: use a range of numbers, such as 2..16"
            end

            super
          end
        end
      end
    end
  end
end
