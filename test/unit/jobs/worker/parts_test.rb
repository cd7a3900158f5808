# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerPartsTest < TestSupport::JobsCase
  Queues = Worker::Queues

  def test_queues_in_their_order
    assert_equal %w[a b], Queues.new(%w[a b]).order
    assert_equal "a b", Queues.new(%w[a b]).to_s
    assert_equal %w[default], Queues.new([]).order
    assert_equal %w[a], Queues.new("a,3").order
  end

  def test_queues_by_weight
    queues = Queues.new(%w[a,9 b])
    assert_equal({"a" => 9, "b" => 1}, queues.weights)
    first = Array.new(1000) { queues.order.first }.tally
    assert_operator first["a"], :>, first["b"] * 3
    assert_equal %w[a b], queues.order.sort
  end

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

  def test_metrics_since_the_last_heartbeat
    metrics = Worker::Metrics.new
    assert_nil metrics.take
    metrics.count("A", 0.01)
    metrics.count("A", 40.0)
    metrics.count("B", nil)
    tally = metrics.take
    assert_equal [3, 1], [tally.processed, tally.failed]
    assert_equal({"processed" => 2, "failed" => 0, "ms" => 40_010.0},
      tally.classes["A"].except("histogram"))
    assert_equal [0, 19], tally.classes["A"]["histogram"].each_index
      .select { |index| tally.classes["A"]["histogram"][index] == 1 }
    assert_nil metrics.take
    metrics.count("A", 0.01)
    metrics.put_back(tally)
    again = metrics.take
    assert_equal [4, 1, 3, 2], [again.processed, again.failed, again.classes["A"]["processed"],
      again.classes["A"]["histogram"].first]
  end

  Finished = Struct.new(:number) do
    def name = "A"

    def facts = {number: number}
  end

  def test_lines_of_finished_jobs_are_written_together
    out = StringIO.new
    logger = job_logger(Raffia::Log.build(Raffia.config(:info), out: out))
    2.times { |number| logger.done(Finished.new(number), 0.5) }
    assert_empty out.string
    logger.flush
    logger.flush
    assert_equal ["event=done number=0 seconds=0.5", "event=done number=1 seconds=0.5"],
      out.string.lines.map { |line| line[/event.*/] }
  end

  def test_other_loggers_get_each_line
    logger = job_logger(::Logger.new(out = StringIO.new))
    logger.done(Finished.new(0), 0.5)
    assert_equal 1, out.string.lines.size
  end

  def test_backoff
    calls = 0
    backoff = Worker::Backoff.new(@log)
    value = Raffia.run do
      backoff.attempt { ((calls += 1) < 3) ? raise(Jobs::StoreUnavailable, "away") : :answer }
    end
    assert_equal [:answer, 3], [value, calls]
    assert_equal [1, 1], [logged("store away").size, logged("store is back").size]
    assert_nil Raffia.run { backoff.attempt(-> { true }) { raise Jobs::StoreUnavailable, "away" } }
  end

  private

  def job_logger(log) = Worker::JobLogger.new(log, Raffia::Instrument.new)
end
