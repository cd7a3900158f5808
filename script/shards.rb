# frozen_string_literal: true

# Runs all tests in several processes side by side, as most of them wait for something most of the time: ruby script/shards.rb NUMBER [minitest's
# options]. The first one's progress is shown; what the others have to say comes when they have ended. Ctrl-C reaches all of them.
require "rbconfig"
require "tempfile"

number = Integer(ARGV.shift)
root = File.expand_path("..", __dir__)
command = [RbConfig.ruby, "-I#{root}/lib", "-I#{root}/test", "#{root}/script/minitest.rb", *ARGV]

others = (2..number).map do |index|
  output = Tempfile.new("raffia-tests")
  [index, output, spawn({"RAFFIA_SHARD" => "#{index}/#{number}"}, *command, out: output.path, err: [:child, :out], in: File::NULL)]
end
passed = system({"RAFFIA_SHARD" => "1/#{number}"}, *command)
others.each do |index, output, pid|
  Process.wait(pid)
  passed &&= $?.success?
  puts "", "# Part #{index} of #{number}", output.read
  output.close!
end
exit(passed || false)
