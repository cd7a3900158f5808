# frozen_string_literal: true

desc "Write the API pages to doc/"
task :docs do
  ruby Gem.bin_path("yard", "yard"), "doc", "--quiet", verbose: false
end

namespace :docs do
  desc "Fail when a public class, module, method or constant has no documentation, or a tag " \
    "names what is not there"
  task :coverage do
    report = IO.popen([RbConfig.ruby, Gem.bin_path("yard", "yard"), "stats", "--list-undoc",
      err: %i[child out]], &:read)
    puts report
    unless report.match?(/^\s*100\.00% documented/)
      abort "docs:coverage: not everything public is documented (the list is above)"
    end
    # A superclass that is made on the spot (Data.define) is none that yard could name, and no fault
    # of a tag.
    warnings = report.scan(/\[warn\]: .*/).grep_v(/Undocumentable superclass/)
    if warnings.any?
      abort "docs:coverage: yard does not understand some tags (the warnings are above)"
    end
  end
end
