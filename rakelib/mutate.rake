# frozen_string_literal: true

# Mutation tests of lib/, with the nearest tests only (script/mutate.rb). A run can be repeated by
# the seed that it prints. The script takes the place of rake, so that Ctrl-C reaches it alone.
desc "Mutants of all of lib or [FOLDER,...]: does a near test fail? MUTANTS=300 SEED= JOBS= JSON=1"
task :mutate, [:folder] => :compile do |_, arguments|
  exec(RbConfig.ruby, "script/mutate.rb", *arguments.to_a)
end

desc "Record which lines each test runs, by which mutate chooses tests: those without a record, " \
  "JOBS="
task "mutate:record" => :compile do
  exec(RbConfig.ruby, "script/mutate.rb", "--record")
end
