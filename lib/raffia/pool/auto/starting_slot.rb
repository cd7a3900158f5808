# frozen_string_literal: true

require "delegate"
require_relative "../../base/clock"
require_relative "../chunk"
require_relative "start_cost"

module Raffia
  class Pool
    class Auto
      # The slot of a worker process, without work before its worker answers: until then the caller
      # does it sooner. Notes the time of start and end in {StartCost}.
      class StartingSlot < SimpleDelegator
        # Seconds between two looks whether there is work left to wait for.
        LOOK = 0.005

        def initialize(slots, ramp)
          started = Clock.now
          super(slots.call)
          @up = answers?(ramp)
          @cost = Clock.now - started
          ramp.ready if @up
        end

        # Whether it takes another chunk; never when its worker was not waited for.
        def ready? = @up && super

        def close(clean)
          _, seconds = Clock.measure { super(clean && @up) }
          StartCost.add(@cost + seconds) if clean && @up
        end

        private

        def answers?(ramp)
          post(Chunk.new(0, 0, items: []))
          nil until (came = reply?(LOOK)) || ramp.over?
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
