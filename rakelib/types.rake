# frozen_string_literal: true

desc "Check the signatures: valid, against the code (steep), and against calls in tests"
task types: %w[types:validate types:check types:test]

namespace :types do
  desc "rbs validate"
  task :validate do
    ruby Gem.bin_path("rbs", "rbs"), "-I", "sig", "-r", "logger", "validate", verbose: false
  end

  desc "steep check"
  task :check do
    ruby Gem.bin_path("steep", "steep"), "check", "--jobs", "2", "--severity-level=error",
      verbose: false
  end

  desc "Write the keywords of the settings into the signatures of servers and workers"
  task :settings do
    %w[lib test].each { |folder| $LOAD_PATH.unshift(File.expand_path("../#{folder}", __dir__)) }
    require "support/settings_signatures"
    TestSupport::SettingsSignatures.files.each { |path, text| File.write(path, text) }
  end

  # Tests of the public API without Ractors, into which RBS does not follow.
  files = %w[test/unit/base/{config,log}_test.rb
    test/unit/jobs/{*,{client,job,recurring,store}/*}_test.rb
    test/unit/simulation/{network,fault_plan,schedule,invariants}_test.rb
    test/contract/run/*_test.rb
    test/contract/task/{channel,scope,primitives,cancel,deadline}_test.rb
    test/contract/pool/{fibers,threads}_test.rb test/contract/actor/supervisor_test.rb]

  desc "Tests whose calls of the public API are compared with the signatures"
  task test: :compile do
    ruby "-Ilib", "-Itest", "script/runtime_types.rb", *Dir[*files].sort, verbose: false
  end
end
