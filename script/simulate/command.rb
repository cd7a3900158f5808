# frozen_string_literal: true

module Simulations
  # The command line: numbers as variables, as Rake tasks take them.
  class Command
    STRATEGIES = %i[portfolio pct random].freeze

    # @param env [#[]] MINUTES, MODEL (a part of the name), and for one run again: SEED, RUNS,
    #   STRATEGY
    def initialize(env)
      @env = env
      @models = Simulations.load.values.select { |one| one.name.include?(env["MODEL"].to_s) }
      @runs = Hash.new(0)
      @seconds = Hash.new(0)
      @failures = []
    end

    # @return [Integer] exit status: 1 when a model failed
    def call
      abort "simulate: no model has #{@env["MODEL"]} in its name" if @models.empty?

      @env["SEED"] ? once : until_late
      tell
      @failures.empty? ? 0 : 1
    end

    private

    # Each seed gets a few times the runs of a test, so that PCT knows how long a run is. All orders
    # of a program are taken once.
    def until_late
      finish = now + Float(@env["MINUTES"] || 60) * 60
      exhaustive, drawn = @models.partition(&:exhaustive)
      exhaustive.each { |model| run(model, :exhaustive, runs: model.runs, seed: 0) }
      STRATEGIES.product(drawn).cycle do |strategy, model|
        break if now > finish

        run(model, strategy, runs: number("RUNS", 3 * model.runs), seed: rand(1 << 32))
      end
    end

    def once
      strategy = @env.fetch("STRATEGY", "portfolio").to_sym
      @models.each do |model|
        run(model, strategy, runs: number("RUNS", model.runs), seed: number("SEED", 0))
      end
    end

    def run(model, strategy, runs:, seed:)
      report = model.explore(runs:, seed:, strategy:)
      @runs[model.name] += report.runs
      @seconds[model.name] += report.seconds
      failed(model, strategy, report) unless report.success?
    end

    def failed(model, strategy, report)
      error = report.failure.error
      @failures << model.name
      puts "FAILED #{model.name}", "  #{error.class}: #{error.message}",
        *error.backtrace&.first(15)&.map { |line| "    #{line}" },
        "  again: MODEL=#{model.name.dump} SEED=#{report.seed} RUNS=#{report.runs} " \
        "STRATEGY=#{strategy} rake simulate"
      $stdout.flush
    end

    def tell
      @runs.each do |name, runs|
        puts format("%8d runs %7.1f ms each%s  %s", runs, 1000 * @seconds[name] / runs,
          failures(name), name)
      end
      puts "#{@runs.values.sum} runs of #{@runs.size} models, #{@failures.size} failures"
    end

    def failures(name)
      count = @failures.count(name)
      count.zero? ? "" : "  #{count} FAILED"
    end

    def number(name, default)
      text = @env[name].to_s
      text.empty? ? default : Integer(text, 10)
    end

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
  end
end
