# frozen_string_literal: true

require "etc"

module Mutate
  # The command line: folders as arguments, numbers as variables, as Rake tasks take them.
  class Command
    # @param folders [Array<String>] or --record
    # @param env [#[]] SEED, MUTANTS, JOBS, SECONDS (of tests for each mutant), GOAL, JSON
    def initialize(folders, env)
      @folders = folders
      @env = env
    end

    # @return [Integer] exit status: 1 below the goal, 2 after a mistake of the user
    def call
      (@folders == %w[--record]) ? record : mutate
    rescue Error => error
      warn "mutate: #{error.message}"
      2
    rescue Interrupt
      warn "mutate: stopped"
      130
    end

    private

    def mutate
      seed = number("SEED", Random.new_seed % 100_000)
      mutants = Draw.new(Sources.select(@folders), seed).take(number("MUTANTS", 300))
      warn "mutate: #{mutants.size} mutants, SEED=#{seed}", *unrecorded
      report = Report.new(run(mutants), seed)
      puts(@env["JSON"] ? report.to_json : report.to_s)
      passed?(report) ? 0 : 1
    end

    def unrecorded
      number = Recording.new(1).missing.size
      ["mutate: #{number} test files without a record: `rake mutate:record`"] if number.positive?
    end

    def record
      recording = Recording.new(jobs)
      files = recording.missing
      done = 0
      recording.call(files) { |file| warn format("%4d/%d %s", done += 1, files.size, file) }
      0
    end

    def run(mutants)
      done = 0
      Campaign.new(mutants, jobs: jobs, seconds: number("SECONDS", 40)).call do |verdict|
        warn format("%4d/%d %-10s %5.1f s %s", done += 1, mutants.size, verdict.verdict,
          verdict.seconds, what(verdict))
      end
    end

    # A survivor with its diff, so that it can be looked at while others run.
    def what(verdict)
      mutant = verdict.mutant
      return mutant.diff(Sources.read(mutant.file)) if verdict.verdict == :survived

      "#{mutant.file}:#{mutant.line} #{mutant.operator}"
    end

    def jobs = number("JOBS", Etc.nprocessors)

    def passed?(report)
      rate = report.rows.last.rate
      rate.nil? || rate >= number("GOAL", 0)
    end

    def number(name, default)
      text = @env[name].to_s
      return default if text.empty?

      Integer(text, 10, exception: false) || raise(Error, "#{name}=#{text} is not a number")
    end
  end
end
