# frozen_string_literal: true

require_relative "plan"
require_relative "targets"

module EngineBench
  # What to run, from the environment: TARGETS and WORKLOADS (names, or parts of names, with commas), RUNS, QUICK=1, YJIT=0, SYSCALLS=0,
  # RAFFIA_BENCH_GEMS (a GEM_HOME with the other gems).
  Options = Data.define(:targets, :plans, :runs, :quick, :yjit, :syscalls, :gems) do
    def self.from(env)
      new(targets: select(Targets::ALL, env["TARGETS"], Targets::USUAL), plans: select(Plans::ALL, env["WORKLOADS"], Plans::ALL.values),
        runs: Integer(env["RUNS"] || ((env["QUICK"] == "1") ? 1 : 5)), quick: env["QUICK"] == "1", yjit: env["YJIT"] != "0",
        syscalls: env["SYSCALLS"] != "0", gems: env["RAFFIA_BENCH_GEMS"])
    end

    def self.select(all, names, usual)
      return usual unless names

      names.split(",").flat_map do |name|
        found = all[name] ? [all[name]] : all.values.select { |one| one.name.include?(name) }
        found.empty? ? abort("bench:engine: there is no #{name.inspect}, there are #{all.keys.join(", ")}") : found
      end.uniq
    end
    private_class_method :select

    # @return [Array<String>] the same for every target
    def flags = (yjit && defined?(RubyVM::YJIT)) ? ["--yjit"] : []
  end
end
