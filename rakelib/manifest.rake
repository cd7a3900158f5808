# frozen_string_literal: true

# The gem holds what git holds, no more and no less, of the folders that go into it.
desc "Compare the gem's files with git's"
task :check_manifest do
  packed = Gem::Specification.load("raffia.gemspec").files
  tracked = `git ls-files`.split("\n")
  folders = %r{\A(?:lib|ext|exe|sig|docs|guides)/|\A(?:CHANGELOG|README|SECURITY|LICENSE)}
  # The README shows images from the repository.
  shipped = tracked.grep(folders).grep_v(%r{\Adocs/images/})
  complaints = (shipped - packed).map { |file| "in git, not in the gem: #{file}" } +
    (packed - tracked).map { |file| "in the gem, not in git: #{file}" }
  abort "check_manifest:\n  #{complaints.join("\n  ")}" unless complaints.empty?
  puts "check_manifest: #{packed.size} files"
end
