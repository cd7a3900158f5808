# frozen_string_literal: true

# The API pages, by yard.
class ApiDocs
  # A warning about the nameless superclass of a class that inherits from Data.define.
  NAMELESS = /^\[warn\]: in YARD::\S+: Undocumentable superclass.*\n\tin file.*\n\n\t.*\n\n?/

  # @return [String] what it prints; warnings of nameless superclasses left out
  def self.yard(*arguments)
    command = [RbConfig.ruby, Gem.bin_path("yard", "yard"), *arguments]
    IO.popen([*command, err: %i[child out]], &:read).gsub(NAMELESS, "")
  end
end

desc "Write the API pages to doc/; fails on a warning"
task :docs do
  report = ApiDocs.yard("doc", "--quiet")
  puts report
  abort "docs: yard does not understand some tags (listed above)" if report.include?("[warn]")
end

namespace :docs do
  desc "Fail when a public class, module, method or constant has no documentation, or a tag " \
    "names what is not there"
  task :coverage do
    report = ApiDocs.yard("stats", "--list-undoc")
    puts report
    unless report.match?(/^\s*100\.00% documented/)
      abort "docs:coverage: not everything public is documented (the list is above)"
    end
    if report.include?("[warn]")
      abort "docs:coverage: yard does not understand some tags (listed above)"
    end
  end
end
