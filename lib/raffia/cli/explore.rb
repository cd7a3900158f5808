# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia explore`: simulates a plain script, or runs the simulations of test files again and
    # again with new seeds.
    #
    # @api private
    class Explore < Command
      SUMMARY = "find concurrency bugs: simulate a script or tests in many orders"
      USAGE = <<~TEXT
        Usage: raffia explore [OPTIONS] SCRIPT [ARGUMENTS]
               raffia explore [OPTIONS] TEST...

        Runs SCRIPT under simulation: virtual time, and an order of threads and
        fibers that is drawn anew for each run. It stops at the first run that
        raises, deadlocks or leaves threads, and shows the shortest schedule that
        does so. The script is loaded for each run, in a module of its own. Its
        output is shown for a run that fails.

        TESTs are folders and files such as test/stock_test.rb, spec/stock_spec.rb.
        Each runs in a process of its own; with --minutes over and over, each time
        with another seed. Tests that simulate nothing are left out. Schedules that
        fail are kept in a folder, and run first the next time.
      TEXT
      # Names of test files.
      TEST = /(_test|_spec)\.rb\z|\Atest_.*\.rb\z/
      WIDTH = 22
      STRATEGIES = %w[fifo random pct portfolio exhaustive].freeze

      private

      def define(parser)
        parser.on("--runs N", "of a script, or of each simulation (1000)") do |text|
          @options[:runs] = Options.count(text)
        end
        parser.on("--minutes M", "go on until the time is over") do |text|
          @options[:minutes] = Options.seconds(text, unit: "minutes")
        end
        parser.on("--strategy NAME", STRATEGIES.join(", ")) do |name|
          unless STRATEGIES.include?(name)
            raise OptionParser::InvalidArgument, "#{name}: use #{STRATEGIES.join(", ")}"
          end

          @options[:strategy] = name.to_sym
        end
        parser.on("--seed N", "of all runs; the report has it") do |text|
          @options[:seed] = Options.count(text, least: 0)
        end
        parser.on("--schedule FILE", "run this schedule only: a file, or rs1:...") do |source|
          @options[:schedule] = source
        end
        parser.separator ""
        parser.on("--corpus DIR", "keep schedules that fail here, and run them first",
          "(tests: tmp/simulation)") { |path| @options[:corpus] = path }
        parser.on("--report DIR", "write a page about each failure") do |path|
          @options[:report] = path
        end
        parser.on("--json", "print the result as JSON") { @options[:json] = true }
      end

      # Options behind a script are the script's.
      def parse(argv) = parser.order(argv)

      def run(name = nil, *arguments)
        raise ConfigError, "raffia explore needs a script or test files. #{usage}" unless name

        require_relative "../simulation"
        @options[:schedule]&.then { |source| Simulation::Schedule.of(source) }
        tests?(name) ? explore_tests([name, *arguments]) : explore_script(name, arguments)
      end

      def tests?(name) = ::File.directory?(name) || ::File.basename(name).match?(TEST)

      def explore_script(name, arguments)
        require_relative "explore/script_run"
        ScriptRun.new(@out, @err, @options).call(name, arguments)
      end

      def explore_tests(paths)
        require_relative "explore/test_runs"
        # options may stand behind files
        TestRuns.new(@out, @err, @options).call(parser.parse(paths))
      end
    end
  end
end
