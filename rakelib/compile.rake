# frozen_string_literal: true

# One implementation, in script/setup/extension.sh: it also knows when there is nothing to do.
desc "Build the extension for this Ruby into lib/raffia/#{RUBY_VERSION[/\d+\.\d+/]}/"
task :compile do
  sh({"RAFFIA_RUBY" => RbConfig.ruby}, "bin/setup", verbose: false)
end
