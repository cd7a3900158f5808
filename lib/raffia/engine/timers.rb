# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Engine
    # The timers of the pure-Ruby engine: a list in the order of time. Most come later than all
    # others, so most are added at its end. One that is cancelled stays until it comes up, or until
    # the cancelled outnumber the others.
    #
    # An interrupt of the thread may strike between any two lines. Each change of the list is a
    # single call, so it is always in order.
    #
    # @api private
    class Timers
      SLACK = 64
      private_constant :SLACK

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

      # One of them is over before its time.
      # @return [void]
      def tidy
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
