# frozen_string_literal: true

require "securerandom"

module Raffia
  module Jobs
    module Durable
      # Values that differ in each run, as the first run had them; and the value that others see.
      module RecordedValues
        # @return [Time] that of the first run
        def now = Time.at(@raffia_replay.perform("time", "now") { "[#{Time.now.to_f}]" })

        # @param max [Integer, Range, nil] see Random.rand
        # @return [Numeric] that of the first run
        def random(max = nil)
          @raffia_replay.perform("random", "random") { "[#{max ? Random.rand(max) : Random.rand}]" }
        end

        # @return [String] that of the first run
        def uuid = @raffia_replay.perform("uuid", "uuid") { "[\"#{SecureRandom.uuid}\"]" }

        # Sets what {Control#query} returns.
        # @param value [Object] a JSON value
        # @return [Object] the value
        def publish(value)
          @raffia_replay.perform("publish", "publish") { Outcome.dump(value, "publish") }
        end
      end
    end
  end
end
