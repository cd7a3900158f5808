# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Engine
    # The timers of the pure-Ruby engine, ordered by time. Most are later than all others, so they
    # are appended. A cancelled one stays until its time, or until the cancelled outnumber the
    # others.
    #
    # An interrupt of the thread may be raised between any two lines. Each change of the list is a
    # single call, so the list is always in order.
    #
    # @api private
    class Timers
      SLACK = 64
      # Seconds; the most that select takes.
      FOREVER = 1e9
      private_constant :SLACK, :FOREVER

      # A Float, not negative. Thread#join passes any object with to_f. Raises TypeError or
      # ArgumentError.
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

      def add(timer)
        at = timer.at
        return @list.push(timer) if @list.empty? || @list.last.at <= at

        @list.insert(@list.bsearch_index { |other| other.at > at }, timer)
      end

      # Called after a timer was cancelled.
      def compact
        return if (@cancelled += 1) <= SLACK || @cancelled <= @list.size / 2

        @cancelled = 0
        @list = @list.reject(&:over)
      end

      # Seconds until the next one, not below 0; nil when there is none.
      def pause
        first = next_one
        first && [first.at - Clock.now, 0.0].max
      end

      # Yields each timer that is due, in order; after an interrupt perhaps once more.
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
