# frozen_string_literal: true

desc "Write the API pages to doc/"
task :docs do
  ruby Gem.bin_path("yard", "yard"), "doc", "--quiet", verbose: false
end

namespace :docs do
  desc "Fail when a public class, module, method or constant has no documentation"
  task :coverage do
    report = IO.popen([RbConfig.ruby, Gem.bin_path("yard", "yard"), "stats", "--list-undoc"], &:read)
    puts report
    abort "docs:coverage: not everything public is documented (the list is above)" unless report.match?(/^\s*100\.00% documented/)
  end
end
