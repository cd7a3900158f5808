# frozen_string_literal: true

module Conformance
  # Runs suites one after the other: fetches, runs each in its modes, repeats what failed on Raffia
  # alone, compares.
  class Campaign
    # More than this is no coincidence.
    REPEATED = 20

    # @param modes [Array<String>, nil] of these only; plain is always among them
    # @param jobs [Integer] how many suites run at once: most of them wait most of the time
    # @param say [#call] takes lines of progress
    def initialize(cache:, known: Known.new, modes: nil, jobs: 1, say: ->(line) {})
      @cache = cache
      @known = known
      @modes = modes
      @jobs = jobs
      @say = say
      @lock = Mutex.new
    end

    # @return [Array<Comparison, Failure>] for each suite
    # @yieldparam result [Comparison, Failure] as soon as it is there, one at a time
    def call(suites, &done)
      left = suites.each_with_index.to_a
      results = []
      threads = Array.new([@jobs, suites.size].min) do
        Thread.new do
          Thread.current.report_on_exception = false # join raises it
          Services.open { |services| work(left, suites.size, services, results, &done) }
        end
      end
      threads.each(&:join)
      results
    end

    # A suite that could not be run at all.
    Failure = Struct.new(:suite, :message) do
      def passed? = false
    end

    private

    # Each thread has servers of its own, so that suites do not see each other's data.
    def work(left, size, services, results)
      while (suite, index = @lock.synchronize { left.shift })
        say("== #{suite.name} (#{index + 1} of #{size})")
        result = one(suite, services)
        @lock.synchronize do
          results[index] = result
          yield result if block_given?
        end
      end
    end

    def say(line) = @lock.synchronize { @say.call(line) }

    # Suites share what is fetched.
    def fetch(suite)
      @lock.synchronize { [Source.fetch(suite.tests, @cache), Gems.new(suite, @cache).env] }
    end

    def one(suite, services)
      checkout, env = fetch(suite)
      suite = suite.with(services.facts(suite.services))
      outcomes = modes(suite).to_h { |mode| [mode, run(suite, mode, checkout, env)] }
      comparison = compare(suite, outcomes)
      repeated = repeat(suite, comparison, checkout, env)
      repeated.empty? ? comparison : compare(suite, outcomes, repeated)
    rescue Error => error
      Failure.new(suite, error.message)
    end

    def modes(suite) = @modes ? suite.modes & ["plain", *@modes] : suite.modes

    def run(suite, mode, checkout, env, only: nil)
      # Each run begins with the files as they came: suites leave things behind.
      folder = @cache.scratch("work", suite.name, "#{mode}#{"-again" if only}")
      files = File.join(folder, "files")
      FileUtils.cp_r(checkout, files)
      outcome = Run.new(suite, mode, files, env, folder, only: only).call
      FileUtils.rm_rf(files)
      say_outcome(suite, outcome, only)
      outcome
    end

    def say_outcome(suite, outcome, only)
      numbers = {"passed" => %w[pass], "failed" => %w[fail], "skipped" => %w[skip],
                 "hung" => %w[hung], "died" => %w[died]}
        .filter_map { |word, statuses|
        outcome.count(*statuses).then { |number|
          "#{number} #{word}" if number.positive?
        }
      }
      notes = " (#{outcome.notes.join("; ")})" if outcome.notes.any?
      title = "#{outcome.mode}#{", once more" if only}"
      title = "#{suite.name} #{title}" if @jobs > 1
      say("   #{title}: #{numbers.join(", ")} in #{outcome.seconds} s#{notes}")
    end

    def compare(suite, outcomes, unsteady = {})
      Comparison.new(suite, outcomes, known: @known.for(suite.name), unsteady: unsteady)
    end

    # A test that passes alone is unsteady, which is reported and is no failure: other work on the
    # machine can cause it.
    # @return [Hash{String => Array<String>}]
    def repeat(suite, comparison, checkout, env)
      comparison.unexplained.group_by(&:mode).each_with_object({}) do |(mode, differences), all|
        names = differences.map(&:name)
        next if names.size > REPEATED || comparison.broken(mode)

        again = run(suite, mode, checkout, env, only: names)
        all[mode] = names.select { |name| again.status(name) == "pass" }
      end
    end
  end
end
