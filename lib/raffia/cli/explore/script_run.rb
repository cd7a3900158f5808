# frozen_string_literal: true

require "json"
require "shellwords"
require "stringio"
require_relative "../text"
require_relative "progress"

module Raffia
  module CLI
    class Explore < Command
      # `raffia explore SCRIPT`.
      #
      # @api private
      class ScriptRun
        # Bytes of a run's output that are kept.
        OUTPUT = 64 * 1024
        private_constant :OUTPUT

        def initialize(out, err, options)
          @out = out
          @err = err
          @options = options
          @progress = Progress.new(err)
          @runs = 0
          @output = ::StringIO.new
        end

        # Returns the exit code.
        def call(name, arguments)
          check(name)
          @command = Simulation::Failure::Instructions
            .bundled(["raffia", "explore", name, *arguments].shelljoin)
          ARGV.replace(arguments)
          $PROGRAM_NAME = name
          finish(explore(::File.expand_path(name)))
        rescue ::Interrupt => interrupt
          @progress.clear
          interrupted((interrupt.failure if interrupt.is_a?(Simulation::Interrupted)))
          INTERRUPTED
        end

        private

        def check(name)
          raise NotFound.new(name: name) unless ::File.exist?(name)
          return if ::File.file?(name) && ::File.readable?(name)

          raise ConfigError, "the script #{name} cannot be read: check its permissions"
        end

        def explore(path)
          config = Simulation::Config.load
            .with(**@options.slice(:seed, :schedule, :runs, :strategy, :report, :corpus))
          @seed = config.seed || (::Random.new_seed & 0xffff_ffff)
          seconds = @options[:minutes]&.*(60)
          Simulation.explore(config: config, seed: @seed, seconds: seconds, name: ::File.basename(path),
            progress: method(:count), command: @command) { run(path) }
        ensure
          @progress.clear
        end

        def count(runs)
          @runs = runs
          @progress.show { format("run %d, %.0f runs/s", runs, runs / @progress.seconds) }
        end

        # In a module of its own, so that classes and their state do not outlive the run.
        def run(path)
          @output = ::StringIO.new
          before = [$stdout, $stderr]
          $stdout = $stderr = @output
          ::Kernel.load(path, true)
        rescue ::SystemExit => error
          raise unless error.success?
        ensure
          $stdout, $stderr = before
        end

        def finish(report)
          if @options[:json]
            @out.puts JSON.pretty_generate(data(report))
          else
            report.success? ? passed(report) : failed(report, @output.string)
            report.warnings.each { |warning| @out.puts "warning: #{warning}" }
          end
          report.success? ? OK : FAILED
        end

        # The failure, if there is one, was being shrunk.
        def interrupted(failure)
          report = Simulation::Report.new(failure: failure, runs: failure ? failure.run : @runs,
            seed: @seed, seconds: @progress.seconds)
          if @options[:json]
            @out.puts JSON.pretty_generate(data(report).merge(interrupted: true))
          elsif failure
            failed(report, "")
          end
          @err.puts(failure ? "raffia: interrupted before a shorter schedule was found" :
            "raffia: interrupted after #{@runs} runs without a failure, seed #{@seed}")
        end

        def passed(report)
          @out.puts "#{report.runs} runs passed in #{format("%.1f", report.seconds)} s, seed " \
            "#{report.seed}"
        end

        def failed(report, output)
          failure = report.failure
          output = output.byteslice(0, OUTPUT).scrub
          @out.puts failure.summary, ""
          @out.puts failure.faults, "" if failure.faults
          @out.puts failure.timeline(width: width, color: color?), ""
          @out.puts "Output of the run:", output, "" unless output.empty?
          @out.puts failure.instructions
          report.files.each { |path| @out.puts "written: #{path}" }
        end

        def data(report)
          failure = report.failure
          {runs: report.runs, seconds: report.seconds.round(3), seed: report.seed,
           warnings: report.warnings, failure: failure && {
             error: failure.error.class.name, message: Text.plain(failure.error.message),
             run: failure.run, seed: failure.seed, schedule: failure.schedule.to_s,
             preemptions: failure.switches, shrink_runs: failure.shrink_runs, files: report.files
           }}
        end

        def color?
          setting = Raffia.config.color
          setting == :always || (setting == :auto && @out.respond_to?(:tty?) && @out.tty?)
        end

        def width
          require "io/console"
          (@out.respond_to?(:tty?) && @out.tty?) ? @out.winsize.last : 120
        rescue ::SystemCallError
          80
        end
      end
    end
  end
end
