# frozen_string_literal: true

require "json"

module JobsBench
  # Counts jobs in the worker's process, and tells the process that measures when the first ones,
  # and when all of them are done. That costs a fraction of a microsecond for each job, and nobody
  # has to ask meanwhile.
  class Tally
    # @return [Tally, Each]
    def self.from(env)
      return Each.new(env["JOBS_BENCH_FIFO"]) if env["JOBS_BENCH_EACH"]

      new(env["JOBS_BENCH_FIFO"], env["JOBS_BENCH_MARKS"].to_s.split(",").map(&:to_i))
    end

    # @return [Integer] how many were done
    attr_reader :count

    # @param fifo [String, nil] path
    # @param marks [Array<Integer>] after how many jobs to tell; the last one is all
    def initialize(fifo, marks)
      @fifo = fifo
      @marks = marks
      @seen = "\0".b * marks.last.to_i
      @count = @again = 0
      @latencies = []
      @lock = Thread::Mutex.new
    end

    # @param number [Integer]
    # @param sent [Float, nil]
    def did(number, sent)
      @lock.synchronize do
        next @again += 1 if @seen.getbyte(number) == 1

        @seen.setbyte(number, 1)
        @count += 1
        @latencies << (Work.now - sent) if sent
        tell if @marks.include?(@count)
      end
    end

    private

    def tell
      @io ||= File.open(@fifo, "w").tap { |io| io.sync = true }
      latencies = (@count == @marks.last) ? @latencies : []
      @io.write("#{JSON.generate(count: @count, again: @again, latencies:)}\n")
    end

    # Counts for workers that fork for each job: each job reports itself.
    class Each
      def initialize(fifo) = @fifo = fifo

      def did(number, _sent) = File.write(@fifo, "#{number}\n")
    end
  end
end
