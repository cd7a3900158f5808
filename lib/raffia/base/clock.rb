# frozen_string_literal: true

module Raffia
  # The monotonic clock of deadlines, timers and measurements. The core reads the same one
  # (raffia_now in ext/raffia/core/timer.c).
  module Clock
    # @return [Float] seconds since some fixed point in the past
    def self.now
      ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
    end

    # Measures a block.
    # @return [Array(Object, Float)] the block's value and the seconds it took
    def self.measure
      start = now
      value = yield
      [value, now - start]
    end
  end
end
