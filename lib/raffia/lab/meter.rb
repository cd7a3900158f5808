# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Lab
    # Wall-clock time and CPU time of a block, the CPU time of child processes that ended during it
    # included.
    module Meter
      # @!attribute [r] seconds
      #   @return [Float] wall-clock
      # @!attribute [r] cpu
      #   @return [Float] seconds of CPU, user and system, on all cores
      Reading = Data.define(:value, :seconds, :cpu)

      # @return [Reading]
      def self.measure
        before = cpu
        value, seconds = Clock.measure { yield }
        Reading.new(value:, seconds:, cpu: cpu - before)
      end

      # The process clock is finer than the ticks of Process.times, which alone know about children.
      def self.cpu
        times = ::Process.times
        own(times) + times.cutime + times.cstime
      end

      if defined?(::Process::CLOCK_PROCESS_CPUTIME_ID)
        def self.own(_times) = ::Process.clock_gettime(::Process::CLOCK_PROCESS_CPUTIME_ID)
      else # JRuby
        def self.own(times) = times.utime + times.stime
      end
      private_class_method :cpu, :own
    end
  end
end
