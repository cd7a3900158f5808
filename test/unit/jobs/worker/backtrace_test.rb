# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerBacktraceTest < TestSupport::JobsCase
  def test_backtraces_as_sidekiq_has_them
    lines = ["a.rb:1:in 'x'", "\xFF.rb:2"]
    text = Worker::Backtrace.dump(lines)
    refute_includes text, "\n"
    assert_equal ["a.rb:1:in 'x'", "\uFFFD.rb:2"], Worker::Backtrace.load(text)
    assert_equal ["old"], Worker::Backtrace.load(["old"])
    assert_equal ["wrapped" * 30],
      Worker::Backtrace.load([Zlib::Deflate.deflate(JSON.generate(["wrapped" * 30]))].pack("m"))
    assert_nil Worker::Backtrace.load("nonsense")
    assert_nil Worker::Backtrace.load(nil)
  end
end
