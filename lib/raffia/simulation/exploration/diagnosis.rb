# frozen_string_literal: true

require "fileutils"
require_relative "../failure"
require_relative "../replay"
require_relative "../shrinker"
require_relative "../trace"

module Raffia
  module Simulation
    class Exploration
      # Makes a {Failure} of a run that failed: runs it again, which must go the same way, shrinks
      # its schedule, and records the events of the shrunk run.
      #
      # @api private
      class Diagnosis
        # The Failure that is being shrunk, as it was found; or nil.
        attr_reader :found

        def initialize(program, options)
          @program = program
          @options = options
          @identity = Failure::Identity.new(program.settings.preempt_in)
        end

        # A Failure for the run.
        def failure(run, number)
          # At a limit, it would take as long again, and end at another step.
          again = (@options.verify || @options.shrink) && !run.error.is_a?(LimitReached)
          return build(run, run, number, nil) unless again

          trace = Trace.new
          compare(run, number, trace) || begin
            @found = build(run, run, number, trace)
            shrunk(run, number)
          end
        end

        # Runs it again. A Failure if that takes another way, else nil.
        def compare(run, number, trace = Trace.new)
          again = @program.replay(run.seed, run.choices, trace: trace)
          return if same?(run, again)

          build(run.with(error: difference(run, again, trace)), run, number, trace)
        end

        # Writes the schedule into the corpus, and the page into the folder of reports. Returns
        # paths.
        def save(failure)
          files = []
          if @options.corpus && failure.trace
            files << @options.corpus.add(failure.schedule, @identity.of(failure.error),
              failure.error)
          end
          files << page(failure) if @options.report
          files
        end

        private

        def same?(run, again)
          run.digest == again.digest && run.prints == again.prints &&
            @identity.of(run.error) == @identity.of(again.error)
        end

        def shrunk(run, number)
          shrinker = Shrinker.new(@program, run, @identity)
          best = @options.shrink ? shrinker.call : run
          trace = Trace.new
          last = @program.replay(best.seed, best.choices, trace: trace)
          best = run unless @identity.of(last.error) == @identity.of(run.error)
          build(best, run, number, trace, shrinker.runs)
        end

        def build(run, original, number, trace, shrink_runs = 0)
          Failure.new(error: run.error, run: number, seed: run.seed, schedule: schedule(run),
            original: run.equal?(original) ? schedule(run) : schedule(original),
            preemptions: run.preemptions.size, shrink_runs: shrink_runs, trace: trace,
            exploration_seed: (@options.seed if number.positive?), faults: run.faults,
            command: @options.command)
        end

        def schedule(run)
          Schedule.new(seed: run.seed, choices: run.choices, prints: run.prints,
            preempt: @program.settings.preempt, strategy: @options.strategy_name.to_s)
        end

        def difference(run, again, trace)
          at = first_difference(run.prints, again.prints)
          return outcomes(run, again) unless at

          Nondeterminism.new("two runs with the same choices took different ways: at choice " \
            "#{at + 1}, the first one #{side(run, at)}, the second one #{side(again, at)}. " \
            "There the second one was at: #{trace.describe(at)}. Look for state that outlives a " \
            "run, real time, real randomness, or the order of addresses")
        end

        def first_difference(one, other)
          (0...[one.size, other.size].max).find { |index| one[index] != other[index] }
        end

        def outcomes(run, again)
          Nondeterminism.new("two runs with the same choices ended differently: the first one " \
            "#{ending(run)}, the second one #{ending(again)}. Look for state that outlives a run")
        end

        def ending(run)
          run.error ? "with #{run.error.class}: #{run.error.message.lines.first&.chomp}" : "well"
        end

        def side(run, index)
          return "had ended" unless (print = run.prints[index])

          format("took number %d (fingerprint %04x)", run.choices[index] + 1, print)
        end

        def page(failure)
          ::FileUtils.mkdir_p(@options.report)
          name = format("raffia-%08x.html", ::Zlib.crc32(failure.schedule.to_s))
          ::File.join(@options.report, name).tap { |path| ::File.write(path, failure.to_html) }
        rescue ::SystemCallError => error
          raise ConfigError, "the report #{@options.report} cannot be written: " \
            "#{error.message[/\A[^@]+/].strip}"
        end
      end
    end
  end
end
