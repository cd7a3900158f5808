# frozen_string_literal: true

require_relative "../base/clock"
require_relative "memory"

module Raffia
  module Lab
    # Looks at a process's memory from time to time, and keeps the peaks. Looking costs CPU that the
    # run may want, and the kernel holds the process's memory map meanwhile: so it looks the less
    # often, the longer a look takes.
    class Sampler
      # Seconds between looks, at the least.
      INTERVAL = 0.1
      # The share of a core that looking may take.
      SHARE = 0.02

      # @return [Integer, nil] bytes
      attr_reader :pss

      # @return [Integer]
      attr_reader :threads

      # @return [Integer]
      attr_reader :processes

      # Seconds that one may wait without asking again.
      LONGEST = 1.0

      # @param pid [Integer]
      def initialize(pid)
        @pid = pid
        @threads = 0
        @processes = 0
        @next = Clock.now
      end

      # @return [Float] seconds until the next look
      def due_in = (@next - Clock.now).clamp(0.0, LONGEST)

      # @return [void]
      def sample_if_due
        sample if due_in.zero?
      end

      # Look for the last time.
      #
      # @return [void]
      def stop
        sample
        @next = Float::INFINITY
      end

      # @return [void]
      def sample
        seen, took = Clock.measure { Memory.read(@pid) }
        @pss = [@pss, seen.pss].compact.max
        @threads = [@threads, seen.threads].max
        @processes = [@processes, seen.processes].max
        @next = Clock.now + [INTERVAL, took / SHARE].max
      end
    end
  end
end
