# frozen_string_literal: true

desc "Check the signatures (rbs validate), and the code against them (steep)"
task types: %w[types:validate types:check]

namespace :types do
  desc "rbs validate"
  task :validate do
    ruby Gem.bin_path("rbs", "rbs"), "-I", "sig", "validate", verbose: false
  end

  desc "steep check"
  task :check do
    ruby Gem.bin_path("steep", "steep"), "check", "--jobs", "2", "--severity-level=error",
      verbose: false
  end
end
