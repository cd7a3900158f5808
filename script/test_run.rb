# frozen_string_literal: true

# Runs all tests: batches of a few files, each in a process of its own, so many side by side:
#
#     ruby script/test_run.rb NUMBER [FILE | FOLDER]... [minitest's options]
#
# A test that fails there runs again alone, then 20 times under load (test_run/rerun.rb).
# RAFFIA_TEST_STRICT=1 makes unexpected skips failures (test_run/skips.rb); RAFFIA_TEST_TIMES=1
# writes test/times.tsv, by which batches are planned.
%w[plan slots report rerun skips flaky_log arguments].each do |name|
  require_relative "test_run/#{name}"
end

number = Integer(ARGV.shift)
files, options = TestRun::Arguments.parse(ARGV)
known = TestRun::FlakyLog.summary
puts "Failed beside others in earlier runs (#{TestRun::FlakyLog.path}):", *known, "" if known.any?

batches = TestRun::Plan.batches(files, options)
slots = TestRun::Slots.new(number)
report = TestRun::Report.new(batches.size)
begin
  slots.run(batches) { |batch| report.batch(batch) }
rescue Interrupt
  slots.stop
  exit(130)
end

ended = report.ended
skips = TestRun::Skips.new(ended.flat_map(&:skipped))
TestRun::Plan.write(report.seconds) if ENV["RAFFIA_TEST_TIMES"]
failed = ended.flat_map(&:failed)
rerun = TestRun::Rerun.new(failed)
passed = ended.all?(&:finished?) && (ended.all?(&:passed?) || (failed.any? && rerun.passed?))
report.finish(skips)
unless skips.allowed?
  puts "", "bin/test: skipped without a reason that is expected in this run (see above)"
end
if passed && failed.any?
  TestRun::FlakyLog.add(rerun.names)
  puts "", "bin/test: failed beside all others, and passed alone: #{rerun.names.join(", ")}"
end
exit(passed && skips.allowed?)
