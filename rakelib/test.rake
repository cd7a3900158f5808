# frozen_string_literal: true

desc "Run the Ruby tests; TEST=file or folder, TESTOPTS=minitest's options"
task test: :compile do
  ruby "-Ilib", "-Itest", "script/minitest.rb", *ENV["TEST"], *ENV.fetch("TESTOPTS", "").split, verbose: false
end
