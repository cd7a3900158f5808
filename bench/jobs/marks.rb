# frozen_string_literal: true

require "json"
require_relative "../harness/wrong"

module JobsBench
  # Reads the marks of the worker's {Tally}, in the process that measures.
  class Marks
    # @param fifo [String] path
    def initialize(fifo)
      File.mkfifo(fifo)
      @io = File.open(fifo, "r+")
      @seen = {}
    end

    # Waits until so many jobs are done, each of them once.
    # @param count [Integer]
    # @param seconds [Numeric]
    # @return [Array<Float>] latencies in seconds, if this is all
    # @raise [Bench::Wrong]
    def await(count, seconds, worker)
      give_up = now + seconds
      until (told = look)&.fetch(:count, nil) == count
        raise Bench::Wrong, "the worker has ended: #{worker.last_words}" if worker.ended?
        if now > give_up
          raise Bench::Wrong, "not done after #{seconds} s: #{@seen.size} of #{count} " \
            "(#{worker.last_words})"
        end
      end
      raise Bench::Wrong, "#{told[:again]} jobs ran again" if told[:again].positive?

      told[:latencies]
    end

    private

    # @return [Hash, nil]
    def look
      return unless @io.wait_readable(0.2)

      line = @io.gets
      return JSON.parse(line, symbolize_names: true) if line.start_with?("{")

      again = @seen[line.to_i]
      @seen[line.to_i] = true
      {count: @seen.size, again: again ? 1 : 0, latencies: []}
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
