# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Lab
    # Wall-clock and CPU time of a block, CPU of child processes that ended during it included.
    module Meter
      # seconds: wall-clock. cpu: seconds of user and system CPU on all cores.
      Reading = Data.define(:value, :seconds, :cpu)

      def self.measure
        before = cpu
        value, seconds = Clock.measure { yield }
        Reading.new(value:, seconds:, cpu: cpu - before)
      end

      # The process clock is finer than Process.times, but only those count children.
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
