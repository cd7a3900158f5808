# frozen_string_literal: true

require_relative "lib/raffia/base/version"

# The gem, the module and the command are called raffia: `gem list -r -e raffia` found no gem of
# this name on RubyGems (2026-11-21).
Gem::Specification.new do |spec|
  spec.name = "raffia"
  spec.version = Raffia::VERSION
  spec.authors = ["The Raffia developers"]
  spec.summary = "One concurrency runtime for Ruby: the same block inline, on fibers, threads, " \
    "Ractors or processes."
  spec.description = <<~TEXT
    Raffia runs the same block of work inline, on fibers, threads, Ractors or forked processes
    through one API, on its own event loop (io_uring, epoll, kqueue, poll, or plain select), with
    structured concurrency: scopes, deadlines, cancellation with a cause. It serves Rack
    applications, runs background jobs stored in SQLite, Redis, PostgreSQL or MySQL, has actors
    under supervisors, and a lab that measures each strategy on your machine.
  TEXT
  spec.license = "MIT"
  spec.homepage = "https://github.com/raffia-rb/raffia"
  # 4.1 passes the numbers to a scheduler's hooks in another order (docs/adr/0015).
  spec.required_ruby_version = [">= 3.3.5", "< 4.1.dev"]

  spec.metadata = {
    "bug_tracker_uri" => "#{spec.homepage}/issues",
    "changelog_uri" => "#{spec.homepage}/blob/main/CHANGELOG.md",
    "documentation_uri" => "https://rubydoc.info/gems/raffia",
    "source_code_uri" => spec.homepage,
    "rubygems_mfa_required" => "true"
  }

  # An explicit list, so that no file gets into the gem by accident; `rake check_manifest` compares
  # it with git.
  spec.files = Dir.chdir(__dir__) do
    Dir[
      "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", ".yardopts",
      "exe/*",
      "ext/raffia/**/*.{rb,c,h}",
      "lib/**/*.{rb,erb,css,js,svg,lua,tt}",
      "sig/**/*.rbs",
      "{docs,guides}/**/*.md"
    ].uniq
  end
  spec.bindir = "exe"
  spec.executables = ["raffia"]
  spec.require_paths = ["lib"]

  # Part of Ruby 3.3 and 3.4, a separate gem from 4.0 on. Every other gem is optional and loaded in
  # one file, on use.
  spec.add_dependency "logger", "~> 1.6"

  # RubyGems prints nothing while it compiles, and a library may be missing.
  spec.post_install_message = "raffia: `raffia doctor` says what was compiled in. The HTTP " \
    "server needs llhttp 9 (libllhttp-dev), io_uring needs liburing 2.3 (liburing-dev)."

  spec.extensions = ["ext/raffia/extconf.rb"]
end
