# frozen_string_literal: true

namespace :docs do
  desc "Write the list of the server's settings into guides/server.md"
  task :options do
    %w[lib test].each { |folder| $LOAD_PATH.unshift(File.expand_path("../#{folder}", __dir__)) }
    require "support/option_reference"
    File.write(TestSupport::OptionReference::PAGE, TestSupport::OptionReference.page)
  end
end
