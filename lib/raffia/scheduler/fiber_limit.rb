# frozen_string_literal: true

require_relative "fiber_limit/shortage"

module Raffia
  class Scheduler
    # Waits for a fiber to end when the process can have no more. Each takes two of the 65,530
    # memory maps that Linux allows a process by default.
    #
    # @api private
    class FiberLimit
      # Seconds. The living fibers may wait for the one that cannot start.
      TIMEOUT = 10
      # Seconds. When one fiber has ended, others may follow, and one collection serves them all.
      BATCH_PAUSE = 0.05
      NO_STACK = /stack|guard page/
      private_constant :TIMEOUT, :BATCH_PAUSE, :NO_STACK

      def initialize(scheduler)
        @scheduler = scheduler
        @waits = nil
        @collected = 0
        @warned = false
      end

      # There was no stack for a fiber: returns when another try is worth it, or raises.
      def await_slot(error)
        raise error unless error.message.match?(NO_STACK)

        warn_once
        return if collect_ended || await_end || collect_ended

        raise FiberError, "#{error.message} (#{shortage}; none ended within #{TIMEOUT} s)"
      end

      # A fiber has ended while others wait for that.
      def notify
        waits = @waits
        @waits = nil
        @scheduler.fiber_limit_reached = false
        waits&.each { |wait| @scheduler.deliver(wait, 0) }
      end

      private

      # A fiber that was left by a transfer keeps its stack until it is collected.
      def collect_ended
        ended = @scheduler.counts.values_at(:fresh, :live).reduce(:-)
        return false unless ended > @collected

        @collected = ended
        GC.start
        true
      end

      def await_end
        own = nil
        @scheduler.park_within(TIMEOUT) do |wait|
          (@waits ||= []) << (own = wait)
          @scheduler.fiber_limit_reached = true
          false
        end
        @scheduler.kernel_sleep(BATCH_PAUSE)
        !@waits&.include?(own)
      end

      def shortage = Shortage.new(@scheduler.counts[:live])

      def warn_once
        return if @warned

        @warned = true
        Kernel.warn shortage.warning
      end
    end
  end
end
