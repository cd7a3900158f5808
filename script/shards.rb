# frozen_string_literal: true

# Runs all tests in several processes side by side, as most of them wait for something most of the time: ruby script/shards.rb NUMBER [minitest's
# options]. Each takes the next class that no other has begun. The first one's progress is shown; what the others have to say comes when they have
# ended. Ctrl-C reaches all of them.
#
# Thousands of tests in one process, beside as many others, disturb each other now and then. What failed there is run again, in a process of its
# own: what passes then is named at the end and fails nothing, for the code does what the test says; the test is still to be mended.
require "rbconfig"
require "tempfile"
require "tmpdir"

# As one part of all, with the files for what it says and for which tests failed.
class Shard
  ROOT = File.expand_path("..", __dir__)
  MINITEST = [RbConfig.ruby, "-I#{ROOT}/lib", "-I#{ROOT}/test", "#{ROOT}/script/minitest.rb"].freeze

  def initialize(index, number, claims, arguments)
    @title = "# Part #{index} of #{number}"
    @failed = Tempfile.new("raffia-failed")
    @output = Tempfile.new("raffia-tests") if index > 1
    to = @output ? {out: @output.path, err: [:child, :out], in: File::NULL} : {}
    @pid = spawn({"RAFFIA_CLAIMS" => claims, "RAFFIA_FAILED" => @failed.path}, *MINITEST, *arguments, **to)
  end

  # @return [void]
  def wait
    Process.wait(@pid)
    @passed = $?.success?
    puts "", @title, @output.read if @output
  end

  # After Ctrl-C, which it may have taken for what the test is about that it is at.
  # @return [void]
  def stop
    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil # it has ended
  end

  # @return [Boolean] whether all tests did
  def passed? = @passed

  # @return [Array<Array(String, String)>, nil] file and name of each test that failed; nil when it did not come to its end, or something else went wrong
  def failed
    *names, last = @failed.readlines(chomp: true)
    names.map { |line| line.split("\t", 2) } if last == "end" && names.empty? == @passed
  end
end

# Those that failed, alone.
module Again
  # From so many on it is no coincidence.
  MANY = 10

  # @param failed [Array<Array(String, String)>]
  # @return [Boolean] whether all passed
  def self.run(failed)
    return false if failed.size > MANY

    files, names = failed.transpose.map(&:uniq)
    # A class that a helper has made does not say who asked for it: then all files are loaded.
    files = [] unless files.all? { |file| file.end_with?("_test.rb") }
    puts "", "# Once more, in a process of their own: #{names.join(", ")}"
    passed = system(*Shard::MINITEST, *files, "-n", "/^(?:#{names.map { |name| Regexp.escape(name) }.join("|")})$/")
    puts "", "bin/test: failed beside all others, and passed alone: #{names.join(", ")}" if passed
    passed || false
  end
end

number = Integer(ARGV.shift)
shards = Dir.mktmpdir("raffia-claims") do |claims|
  all = (1..number).map { |index| Shard.new(index, number, claims, ARGV) }
  all.each(&:wait)
rescue Interrupt
  all&.each(&:stop)
  exit(130)
end
exit if shards.all?(&:passed?)

failed = shards.map(&:failed)
exit(failed.all? && Again.run(failed.sum([])))
