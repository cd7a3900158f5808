# frozen_string_literal: true

require "delegate"
require_relative "../chunk"

module Raffia
  class Pool
    class Auto
      # Start and end times of worker processes in this program: the least of the last ones, because
      # the others waited for a processor. Old ones are forgotten, so that one busy moment does not
      # decide for ever.
      module StartCost
        KEY = :raffia_start_cost
        # How many are kept, and for how many seconds.
        COUNT = 5
        AGE = 60
        private_constant :KEY, :COUNT, :AGE

        class << self
          def seconds(now = Clock.now)
            known.filter_map { |seconds, at| seconds if at > now - AGE }.min
          end

          def add(seconds, now = Clock.now)
            known.push([seconds, now])
            known.shift if known.size > COUNT
          end

          def clear = known.clear

          private

          def known = RactorLocal.fetch(KEY) { [] }
        end
      end

      # The slot of a worker process that gets no work until it answers: the caller does it sooner.
      # Notes the time of start and end in {StartCost}.
      class StartingSlot < SimpleDelegator
        # Seconds between checks whether there is work left to wait for.
        CHECK_INTERVAL = 0.005

        def initialize(slots, ramp)
          started = Clock.now
          super(slots.call)
          @up = answers?(ramp)
          @cost = Clock.now - started
          ramp.ready if @up
        end

        def ready? = @up && super

        def close(clean)
          _, seconds = Clock.measure { super(clean && @up) }
          StartCost.add(@cost + seconds) if clean && @up
        end

        private

        def answers?(ramp)
          post(Chunk.new(0, 0, items: []))
          nil until (came = reply?(CHECK_INTERVAL)) || ramp.over?
          came ? collect : posted.clear
          through = true
          came
        ensure
          __getobj__.close(false) unless through
        end
      end
    end
  end
end
