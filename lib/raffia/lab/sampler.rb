# frozen_string_literal: true

require_relative "../base/clock"
require_relative "memory"

module Raffia
  module Lab
    # Reads a process's memory repeatedly, and keeps the peaks. A reading takes CPU from the run,
    # and the kernel locks the process's memory map meanwhile: so slow readings are rarer.
    class Sampler
      # Least seconds between readings.
      INTERVAL = 0.1
      # Share of a core that readings may take.
      SHARE = 0.02

      # Bytes, nil before the first reading.
      attr_reader :pss

      attr_reader :threads

      attr_reader :processes

      # Most seconds of a wait.
      LONGEST = 1.0

      def initialize(pid)
        @pid = pid
        @threads = 0
        @processes = 0
        @next = Clock.now
      end

      # Seconds until the next reading.
      def due_in = (@next - Clock.now).clamp(0.0, LONGEST)

      def sample_if_due
        sample if due_in.zero?
      end

      # Takes the last reading.
      def stop
        sample
        @next = Float::INFINITY
      end

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
