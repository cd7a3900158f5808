# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../base/ractor_local"

module Raffia
  class Pool
    class Auto
      # Start and end times of worker processes in this program: the least of the last ones, because
      # the others waited for a processor. It is forgotten after a while, so that one busy moment
      # does not decide for ever.
      module StartCost
        KEY = :raffia_start_cost
        # How many are kept, and for how many seconds.
        COUNT = 5
        AGE = 60
        private_constant :KEY, :COUNT, :AGE

        class << self
          # Seconds for a worker; nil when none was started lately.
          def seconds(now = Clock.now)
            known.filter_map { |seconds, at| seconds if at > now - AGE }.min
          end

          def add(seconds, now = Clock.now)
            known.push([seconds, now])
            known.shift if known.size > COUNT
          end

          # Forgets all of them.
          def clear = known.clear

          private

          def known = RactorLocal.fetch(KEY) { [] }
        end
      end
    end
  end
end
