# frozen_string_literal: true

# clang-format's output differs between versions, so only this one's opinion counts (Debian 12's).
CLANG_FORMAT_MAJOR = "14"

# The clang-format to use; nil, with the reason said, where there is none of that version.
def clang_format
  found = ["clang-format-#{CLANG_FORMAT_MAJOR}", "clang-format"].find do |name|
    `#{name} --version 2>/dev/null`[/version (\d+)/, 1] == CLANG_FORMAT_MAJOR
  rescue Errno::ENOENT
    false
  end
  unless found
    puts "lint:c: skipped, there is no clang-format #{CLANG_FORMAT_MAJOR} here (apt-get install " \
      "clang-format on Debian 12)"
  end
  found
end

def c_sources
  FileList["ext/**/*.{c,h}", "test/native/*.{c,h}", "fuzz/**/*.{c,h}", "bench/**/*.{c,h}"]
end

def shell_sources
  FileList["bin/*", ".ci/run", "script/**/*.sh"]
    .select { |file| File.read(file, 40).match?(/bash/) }
end

desc "Check the style of Ruby, C and shell"
task lint: %w[lint:ruby lint:c lint:shell]

namespace :lint do
  desc "standard with rubocop-performance and rubocop-thread_safety"
  task :ruby do
    ruby Gem.bin_path("standard", "standardrb"), "--no-fix", "--format", "simple", verbose: false
  end

  desc "clang-format --dry-run"
  task :c do
    next if c_sources.empty? || !(program = clang_format)
    sh program, "--dry-run", "--Werror", *c_sources, verbose: false
  end

  desc "shellcheck, where it is installed"
  task :shell do
    if system("shellcheck --version", out: File::NULL, err: File::NULL)
      sh "shellcheck", *shell_sources, verbose: false
    end
  end
end

namespace :format do
  desc "Let standard mend what it can"
  task :ruby do
    ruby Gem.bin_path("standard", "standardrb"), "--fix", verbose: false
  end

  desc "Let clang-format write the C files"
  task :c do
    program = clang_format
    sh program, "-i", *c_sources, verbose: false if program && !c_sources.empty?
  end
end
