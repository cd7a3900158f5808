# frozen_string_literal: true

# The tests of other people's libraries, plain, under Raffia and under async (script/conformance.rb,
# `bin/conformance --help`).
def conformance(*arguments)
  arguments << "--json" if ENV["JSON"]
  ruby "script/conformance.rb", *arguments, verbose: false do |passed, status|
    exit(status.exitstatus || 1) unless passed
  end
end

desc "Other people's test suites under Raffia, all or [NAME], into docs/conformance.md; JSON=1"
task :conformance, [:name] => :compile do |_, arguments|
  conformance(*arguments.to_a)
end

namespace :conformance do
  desc "The suites that there are"
  task(:list) { conformance("--list") }

  desc "The short selection of CI: under two minutes once it is fetched"
  task(quick: :compile) { conformance("--quick", "--no-page") }

  desc "Applications made by their own generators, on Raffia and on Puma: all, or [NAME]"
  task(:apps, [:name] => :compile) { |_, arguments| conformance("--apps", *arguments.to_a) }
end
