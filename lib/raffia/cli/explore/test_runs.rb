# frozen_string_literal: true

require "json"
require_relative "progress"
require_relative "test_process"

module Raffia
  module CLI
    class Explore < Command
      # `raffia explore TEST...`: runs test files in turn until the time is over, each time with
      # another seed. A file that failed is not run again. Tests that simulate nothing are left out.
      #
      # @api private
      class TestRuns
        CORPUS = "tmp/simulation"
        private_constant :CORPUS

        # The result of one file.
        Result = ::Struct.new(:path, :passes, :output)
        private_constant :Result

        def initialize(out, err, options)
          @out = out
          @err = err
          @options = options
          @progress = Progress.new(err)
          @corpus = options.fetch(:corpus, CORPUS)
          @seed = options.fetch(:seed) { ::Random.new_seed & 0xffff_ffff }
          @seeds = ::Random.new(@seed)
        end

        # Returns the exit code.
        def call(paths)
          @results = files(paths).map { |path| Result.new(path, 0, nil) }
          @before = schedules
          @deadline = Clock.now + @options[:minutes] * 60 if @options[:minutes]
          interrupted = interrupted? { run }
          @progress.clear
          @options[:json] ? @out.puts(JSON.pretty_generate(data)) : summarize
          return INTERRUPTED if interrupted

          failed.empty? ? OK : FAILED
        end

        private

        def files(paths)
          files = paths.flat_map do |path|
            raise NotFound.new(name: path) unless ::File.exist?(path)

            found = ::File.directory?(path) ? ::Dir[::File.join(path, "**/*.rb")].sort : [path]
            found.select { |file| ::File.basename(file).match?(TEST) }
          end
          return files.uniq unless files.empty?

          raise ConfigError, "no test files in #{paths.join(", ")}: name files that end in " \
            "_test.rb or _spec.rb"
        end

        def interrupted?
          yield
          false
        rescue ::Interrupt
          true
        end

        # In turn, once without a time limit.
        def run
          loop do
            left = @results - failed
            left.each { |result| pass(result) unless over? }
            return if @deadline.nil? || over? || left.empty?
          end
        end

        def over? = @deadline && Clock.now >= @deadline

        def pass(result)
          @progress.show { line(result) }
          seed = @seeds.rand(1 << 32)
          outcome, output = TestProcess.new(result.path, variables(seed)).call(@deadline) do
            @progress.show { line(result) }
          end
          result.passes += 1 unless outcome == :over
          result.output = output if outcome == :failed
        end

        def line(result)
          format("%s, pass %d, %d failed, %.1f min", ::File.basename(result.path),
            result.passes + 1, failed.size, @progress.seconds / 60)
        end

        def variables(seed)
          {"RAFFIA_SEED" => seed, "RAFFIA_SIM_TESTS" => :simulated, "RAFFIA_SIM_CORPUS" => @corpus,
           "RAFFIA_SIM_RUNS" => @options[:runs], "RAFFIA_SIM_STRATEGY" => @options[:strategy],
           "RAFFIA_SIM_REPORT" => @options[:report], "RAFFIA_SCHEDULE" => @options[:schedule]}
            .compact.transform_values(&:to_s)
        end

        def failed = @results.select(&:output)

        def schedules = ::Dir[::File.join(@corpus, "*.rs1")]

        def summarize
          failed.each { |result| @out.puts "#{result.path} failed:", result.output, "" }
          @out.puts format("%d passes of %d files in %.1f s, %d failed, seed %d",
            @results.sum(&:passes), @results.size, @progress.seconds, failed.size, @seed)
          found = schedules - @before
          @out.puts "new in the corpus: #{found.join(", ")}" unless found.empty?
        end

        def data
          {seed: @seed, seconds: @progress.seconds.round(3), new: (schedules - @before).sort,
           files: @results.map { |result|
             {path: result.path, passes: result.passes, failed: !result.output.nil?,
              output: result.output}
           }}
        end
      end
    end
  end
end
