# frozen_string_literal: true

# Planted concurrency bugs (simulation/bugs/): how many schedules the simulation needs to find each,
# whether the fixed version is clean, and how often plain stress on real threads finds it. See
# docs/simulation_benchmark.md.
#
#     ruby -Ilib bench/simulation.rb --only aba,lock_order --seeds 20 --runs 10000 \
#       --fixed 10000 --stress 10000 --strategy pct [--json | --markdown]
#
# A bug's seeds are 1 to --seeds, with up to --runs schedules each. Each bug has processes of its
# own, because some hang. Plain stress takes 60 s at most for each; --stress 0 leaves it out.

require "optparse"
require_relative "simulation/model"
require_relative "simulation/search"
require_relative "simulation/stress"
require_relative "simulation/table"

module SimulationBench
  class Main
    DEFAULTS = {seeds: 20, runs: 10_000, fixed: 10_000, stress: 10_000, only: nil,
                strategy: :pct, format: :text}.freeze

    def initialize(arguments)
      @options = DEFAULTS.dup
      parser.parse(arguments)
    end

    def call
      rows = models.map { |model| measure(model) }
      puts Table.new(rows, @options.merge(ruby: RUBY_DESCRIPTION)).public_send(@options[:format])
    end

    private

    def parser
      OptionParser.new do |options|
        options.on("--only NAMES", Array) { |names| @options[:only] = names }
        %i[seeds runs fixed stress].each do |name|
          options.on("--#{name} N", Integer) { |number| @options[name] = number }
        end
        options.on("--strategy NAME", String) { |name| @options[:strategy] = name.to_sym }
        %i[json markdown].each { |name| options.on("--#{name}") { @options[:format] = name } }
      end
    end

    def models
      all = SimulationBench.load_models
      (@options[:only] || all.keys).map do |name|
        all.fetch(name) { abort "bench/simulation: there is no bug #{name}" }
      end
    end

    def measure(model)
      search = Search.new(model, **@options.slice(:seeds, :runs, :fixed, :strategy)).call
      stress = Stress.new(model, runs: @options[:stress]).call if stress?(model)
      row = Table::Row.new(model:, search:, stress:)
      warn "#{row.cells(@options[:seeds]).join(", ")}#{" HUNG" if search.hung}"
      [*search.errors, *search.fixed_error].each { |error| warn "    #{error}" }
      row
    end

    def stress?(model) = model.stress && @options[:stress].positive?
  end
end

SimulationBench::Main.new(ARGV).call
