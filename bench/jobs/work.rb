# frozen_string_literal: true

require "socket"
require_relative "tally"

module JobsBench
  # The work of a job, and its count in the process of the worker, which the environment selects.
  module Work
    CPU = 0.001
    WAIT = 0.01

    class << self
      # @param number [Integer] which one, from 0 up
      # @param sent [Float, nil] when it was enqueued
      # @return [void]
      def call(number, sent = nil)
        case KIND
        when "cpu" then spin
        when "io" then wait
        end
        TALLY.did(number, sent)
      end

      # @return [Float] for all processes of the machine
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      private

      # In the CPU time of the thread, so that it is as much work whoever else wants the core.
      def spin
        give_up = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) + CPU
        nil while Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID) < give_up
      end

      # Waits for an answer that does not come, on a socket.
      def wait
        pair = SOCKETS.pop(timeout: 0) || UNIXSocket.pair
        pair.first.wait_readable(WAIT)
        SOCKETS << pair
      end
    end

    KIND = ENV.fetch("JOBS_BENCH_WORK", "noop")
    SOCKETS = Thread::Queue.new
    TALLY = Tally.from(ENV)
  end
end
