# frozen_string_literal: true

module TestRun
  # Prints each batch when it ends, and all of them together at the end.
  class Report
    # @param total [Integer] batches
    # @param out [IO]
    def initialize(total, out: $stdout)
      @total = total
      @out = out
      @ended = []
      @began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # @return [Array<Batch>]
    attr_reader :ended

    # @param batch [Batch]
    # @return [void]
    def batch(batch)
      @ended << batch
      @out.puts "[#{@ended.size}/#{@total}] #{batch.name}: #{outcome(batch)}"
      @out.puts batch.output unless batch.passed?
      @out.flush
    end

    # @param skips [Skips]
    # @return [void]
    def finish(skips)
      @out.puts "", "Skipped, by reason:", *skips.lines if skips.lines.any?
      @out.puts "",
        format("%<seconds>d s, %<cpu>d s of CPU in the tests' processes; longest: %<slow>s",
          **times)
      @out.puts "", totals
    end

    # @return [Hash{String => Float}] seconds by file
    def seconds
      @ended.filter_map(&:totals).map { |totals| totals[:seconds] }.reduce({}, :merge)
        .transform_keys(&:to_s)
    end

    private

    def outcome(batch)
      totals = batch.totals or return "did not come to its end"
      counts = totals[:counts]
      "#{runs(counts)} runs, #{counts[:failed].to_i} failed, #{counts[:skipped].to_i} skipped, " \
        "#{totals[:cpu]} s of CPU"
    end

    def runs(counts) = counts.values_at(:passed, :failed, :skipped).sum(&:to_i)

    # In minitest's words, for tools that read them.
    def totals
      counts = @ended.filter_map(&:totals).map { |totals| totals[:counts] }
      sum = ->(name) { counts.sum { |count| count[name].to_i } }
      "#{counts.sum { |count| runs(count) }} runs, #{sum[:assertions]} assertions, " \
        "#{sum[:failed]} failures, 0 errors, #{sum[:skipped]} skips"
    end

    def times
      slow = @ended.max_by(3) { |batch| batch.totals ? batch.totals[:cpu] : 0 }
      {seconds: Process.clock_gettime(Process::CLOCK_MONOTONIC) - @began,
       cpu: @ended.sum { |batch| batch.totals ? batch.totals[:cpu] : 0 },
       slow: slow.map(&:name).join("; ")}
    end
  end
end
