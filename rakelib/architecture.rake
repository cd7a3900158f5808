# frozen_string_literal: true

namespace :architecture do
  desc "Delete the lines of test/support/architecture/pending that are no longer needed"
  task :tidy do
    require_relative "../test/support/architecture/glossary"
    require_relative "../test/support/architecture/paths"
    root = File.expand_path("..", __dir__)
    glossary = Architecture::Glossary.new(File.read(File.join(root, "docs/glossary.md")))
    Architecture::Pending.tidy("names", glossary.faults(root).transform_values(&:keys))
    Architecture::Pending.tidy("paths", Architecture::Paths.mismatches(root).keys
      .group_by { |path| Architecture::Paths.component(path) })
  end
end
