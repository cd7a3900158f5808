# frozen_string_literal: true

# Mutation tests of lib/, with the nearest tests only (script/mutate.rb). A run can be repeated by
# the seed that it prints.
desc "Mutants of all of lib or [FOLDER,...]: does a near test fail? MUTANTS=300 SEED= JOBS= JSON=1"
task :mutate, [:folder] => :compile do |_, arguments|
  ruby "script/mutate.rb", *arguments.to_a, verbose: false do |passed, status|
    exit(status.exitstatus || 1) unless passed
  end
end
