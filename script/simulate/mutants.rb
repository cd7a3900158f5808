# frozen_string_literal: true

# Removes one `signal`, `synchronize`, `hold` or check at a time from a component, and counts how
# many of these mutants the models of test/simulation catch. `rake simulate:mutants` runs it.
#
# The mutated source is evaluated over the loaded one in a forked child; no file is changed.
root = File.expand_path("../..", __dir__)
$LOAD_PATH.unshift("#{root}/lib", "#{root}/test")
require "simulation/model"
require_relative "mutant_source"
require_relative "mutant_trial"

abort "simulate:mutants: needs fork" unless Process.respond_to?(:fork)
models = Simulations.load.values
part = ENV["FILE"].to_s
files = models.flat_map(&:covers).uniq.select { |file| file.include?(part) }
trial = Simulations::MutantTrial.new(models, runs: Integer(ENV.fetch("RUNS", "60"), 10),
  seconds: Integer(ENV.fetch("SECONDS", "120"), 10))

survivors = []
count = 0
files.each do |file|
  Simulations::MutantSource.new("#{root}/lib/raffia/#{file}.rb").mutants.each do |mutant|
    count += 1
    by = trial.caught_by(file, mutant)
    survivors << mutant unless by
    puts "#{by ? "caught  " : "SURVIVED"} #{mutant.place}: #{mutant.change}#{"  (#{by})" if by}"
    $stdout.flush
  end
end
caught = count - survivors.size
puts format("%d of %d mutants caught: %.0f %%", caught, count, 100.0 * caught / [count, 1].max)
exit(caught >= 0.9 * count)
