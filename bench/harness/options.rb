# frozen_string_literal: true

module Bench
  # Selection of what to run, from the environment: TARGETS and WORKLOADS (names, or parts of names,
  # with commas), RUNS, QUICK=1, YJIT=0, SYSCALLS=0, RAFFIA_BENCH_GEMS (a GEM_HOME with the other
  # gems).
  Options = Data.define(:targets, :plans, :runs, :quick, :yjit, :syscalls, :gems) do
    # @param suite [Suite]
    # @param env [Hash, ENV]
    def self.from(suite, env)
      new(targets: select(suite.targets, env["TARGETS"], suite.usual, suite),
        plans: select(suite.plans, env["WORKLOADS"], suite.usual_plans, suite),
        runs: Integer(env["RUNS"] || ((env["QUICK"] == "1") ? 1 : 5)), quick: env["QUICK"] == "1",
        yjit: env["YJIT"] != "0",
        syscalls: env["SYSCALLS"] != "0", gems: env["RAFFIA_BENCH_GEMS"])
    end

    def self.select(all, names, usual, suite)
      return usual unless names

      names.split(",").flat_map do |name|
        found = all[name] ? [all[name]] : all.values.select { |one| one.name.include?(name) }
        if found.empty?
          abort("bench:#{suite.name}: there is no #{name.inspect}, there are " \
            "#{all.keys.join(", ")}")
        else
          found
        end
      end.uniq
    end
    private_class_method :select

    # @return [Array<String>] the same for every target
    def flags = (yjit && defined?(RubyVM::YJIT)) ? ["--yjit"] : []
  end
end
