# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Engine
    # The timers of the pure-Ruby engine: a list in order of time. Most timers are later than all
    # others, so most are added at its end. A cancelled one stays until its time, or until the
    # cancelled outnumber the others.
    #
    # An interrupt of the thread may be raised between any two lines. Each change of the list is a
    # single call, so the list is always in order.
    #
    # @api private
    class Timers
      SLACK = 64
      # Seconds; select takes no more, and it is longer than any wait.
      FOREVER = 1e9
      private_constant :SLACK, :FOREVER

      # Thread#join passes on objects with to_f as they are.
      # @param time [Numeric, #to_f]
      # @return [Float] seconds, not negative
      # @raise [TypeError, ArgumentError]
      def self.seconds(time)
        if String === time || time.nil? || !time.respond_to?(:to_f)
          raise TypeError, "a time must be a number, not #{time.inspect}"
        end

        seconds = time.to_f
        raise ArgumentError, "a time must be a number, not NaN" if seconds.nan?

        seconds.clamp(0, FOREVER)
      end

      def initialize
        @list = []
        @cancelled = 0
      end

      # @param timer [#at, #over] at: seconds by {Clock.now}; over: whether it is of no interest any
      #   more
      # @return [void]
      def add(timer)
        at = timer.at
        return @list.push(timer) if @list.empty? || @list.last.at <= at

        @list.insert(@list.bsearch_index { |other| other.at > at }, timer)
      end

      # Called when a timer was cancelled.
      # @return [void]
      def compact
        return if (@cancelled += 1) <= SLACK || @cancelled <= @list.size / 2

        @cancelled = 0
        @list = @list.reject(&:over)
      end

      # @return [Float, nil] seconds until the next one, not below 0
      def pause
        first = next_one
        first && [first.at - Clock.now, 0.0].max
      end

      # @yieldparam timer each one whose time has come, in order; after an interrupt perhaps once
      #   more
      def expire
        now = Clock.now
        while (timer = next_one) && timer.at <= now
          yield timer
          @list.shift if timer.equal?(@list.first)
        end
      end

      private

      def next_one
        @list.shift while @list.first&.over
        @list.first
      end
    end
  end
end
