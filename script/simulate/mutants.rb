# frozen_string_literal: true

# Removes one `signal`, `synchronize`, `hold` or check at a time from a component, and counts how
# many of these mutants the models of test/simulation catch. `rake simulate:mutants` runs it.
#
# The mutated source is evaluated over the loaded one in a forked child; no file is changed.
root = File.expand_path("../..", __dir__)
$LOAD_PATH.unshift("#{root}/lib", "#{root}/test")
require "simulation/model"
require_relative "equivalents"
require_relative "mutant_source"
require_relative "mutant_trial"

abort "simulate:mutants: needs fork" unless Process.respond_to?(:fork)
models = Simulations.load.values
part, line = ENV["FILE"].to_s.split(":")
part = part.to_s.delete_suffix(".rb")
# Some models have the name of what several files do together.
files = models.flat_map(&:covers).uniq.select do |file|
  file.include?(part) && File.exist?("#{root}/lib/raffia/#{file}.rb")
end
abort "simulate:mutants: no model covers a file like #{part}" if files.empty?
runs = Integer(ENV.fetch("RUNS", "200"), 10)
trial = Simulations::MutantTrial.new(models, runs: runs)
equivalents = Simulations::Equivalents.load

counts = files.map do |file|
  source = Simulations::MutantSource.new("#{root}/lib/raffia/#{file}.rb")
  by = trial.caught_by(file, source.original)
  abort "simulate:mutants: #{file} fails without any change: #{by}" if by

  mutants = equivalents.without(file, source.mutants)
  mutants.select! { |mutant| mutant.place.end_with?(":#{line}") } if line
  caught = mutants.count do |mutant|
    by = trial.caught_by(file, mutant)
    puts "#{by ? "caught  " : "SURVIVED"} #{mutant.place}: #{mutant.change}#{"  (#{by})" if by}"
    $stdout.flush
    by
  end
  puts "#{file}: #{caught} of #{mutants.size} mutants caught"
  [caught, mutants.size]
end
caught, count = counts.transpose.map(&:sum)
puts format("%d of %d mutants caught: %.0f %%; %d runs of each model at most", caught, count,
  100.0 * caught / [count, 1].max, runs)
exit(caught >= 0.9 * count)
