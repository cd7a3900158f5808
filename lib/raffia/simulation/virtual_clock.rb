# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Simulation
    # The clocks of a world, in integer nanoseconds. They stand still while threads run.
    #
    # @api private
    class VirtualClock
      SECOND = 1_000_000_000
      # The monotonic clock's first value: not 0, which programs take for "never".
      BOOT = 100_000 * SECOND
      # Seconds that no wait exceeds: three hundred years.
      FOREVER = 10_000_000_000
      CPU_CLOCKS = %i[CLOCK_PROCESS_CPUTIME_ID CLOCK_THREAD_CPUTIME_ID]
        .filter_map { |name| ::Process.const_get(name) if ::Process.const_defined?(name) }.freeze
      REAL_CLOCKS = %i[CLOCK_REALTIME CLOCK_REALTIME_COARSE CLOCK_TAI]
        .filter_map { |name| ::Process.const_get(name) if ::Process.const_defined?(name) }.freeze
      private_constant :FOREVER, :CPU_CLOCKS, :REAL_CLOCKS

      # Nanoseconds of seconds as Kernel#sleep takes them. A wait takes time, however short it is:
      # what is left until a deadline in floating point would else be no time, again and again.
      def self.nanoseconds(seconds)
        return seconds * SECOND if seconds.is_a?(Integer)

        seconds = seconds.to_f
        return FOREVER * SECOND if seconds >= FOREVER

        exact = seconds * SECOND
        exact.positive? ? [exact.round, 1].max : exact.round
      end

      # Nanoseconds since the start of the run, and the wall clock's distance from it.
      attr_reader :now
      attr_accessor :real_offset
      # Called before a program reads the wall clock: seconds that it is set by.
      attr_writer :step

      # +start+: the wall clock's Time at the start.
      def initialize(start)
        @now = 0
        @installed = false
        @real_offset = (start.to_r * SECOND).to_i
      end

      def advance(now)
        @now = now
        Native.simulate_clock(now + BOOT)
      end

      # Raffia's code in C reads this clock in the block, on this thread.
      def installed
        @installed = true
        Native.simulate_clock(@now + BOOT)
        yield
      ensure
        @installed = false
        Native.simulate_clock(0)
      end

      # It reads the real clock in the block.
      def uninstalled
        return yield unless @installed

        begin
          @installed = false
          Native.simulate_clock(0)
          yield
        ensure
          @installed = true
          Native.simulate_clock(@now + BOOT)
        end
      end

      # The instant that is some seconds from now.
      def after(seconds)
        delay = VirtualClock.nanoseconds(seconds)
        (delay > 0) ? @now + delay : @now
      end

      def real
        @real_offset += @step.call * SECOND if @step
        @now + @real_offset
      end

      def elapsed = @now.fdiv(SECOND)

      # The same as Process.clock_gettime. CPU clocks go as the monotonic one does.
      def gettime(clock, unit, real_skew = 0)
        convert(REAL_CLOCKS.include?(clock) ? real + real_skew : monotonic(clock), unit)
      end

      private

      def monotonic(clock) = CPU_CLOCKS.include?(clock) ? @now : @now + BOOT

      def convert(time, unit)
        case unit
        when nil, :float_second then time.fdiv(SECOND)
        when :float_millisecond then time.fdiv(1_000_000)
        when :float_microsecond then time.fdiv(1_000)
        when :second then time / SECOND
        when :millisecond then time / 1_000_000
        when :microsecond then time / 1_000
        when :nanosecond then time
        else raise ArgumentError, "unexpected unit: #{unit}"
        end
      end
    end
  end
end
