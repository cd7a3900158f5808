# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerRunCountsTest < TestSupport::JobsCase
  def setup
    super
    @counts = Worker::RunCounts.new
  end

  def test_series
    2.times { @counts.done("mail", "MailJob", 0.5) }
    @counts.count("failed", "mail", "MailJob", "retry")
    @counts.waited("mail", 0.025)
    assert_equal :ok, @counts.time_call("claim") { :ok }
    @counts.store_retry("unavailable")
    series = @counts.to_h
    assert_equal({%w[mail MailJob] => 2}, series["done"])
    assert_equal({%w[mail MailJob] => 1.0}, series["seconds"])
    assert_equal({%w[mail MailJob retry] => 1}, series["failed"])
    assert_equal [0, 1, 0.025], series["wait"][["mail"]].values_at(0, 1, -1)
    assert_equal 1, series["store"][["claim"]][..-2].sum
    assert_equal({["unavailable"] => 1}, series["retries"])
  end

  # Same form as the supervisor gets.
  def test_rows_add_up
    total = Worker::RunCounts.new
    2.times do
      3.times { @counts.done("mail", "MailJob", 1) }
      @counts.waited("mail", 1)
      @counts.take.each { |rows| total.add(JSON.parse(JSON.generate(rows))) }
    end
    assert_equal [], @counts.take
    assert_equal({%w[mail MailJob] => 6}, total.to_h["done"])
    assert_equal [2, 2], [total.to_h["wait"][["mail"]][..-2].sum, total.to_h["wait"][["mail"]][-1]]
  end

  def test_classes_and_queues_are_limited
    total = Worker::RunCounts.new
    600.times { |index| @counts.done("queue#{index}", "Job#{index}", 1) }
    @counts.take.each do |rows|
      assert_operator rows.size, :<=, 200
      total.add(rows)
    end
    [total.to_h["done"], total.to_h["seconds"]].each do |series|
      assert_equal 600, series.values.sum
      assert_equal [201, 501], series.keys.transpose.map { |labels| labels.uniq.size }
    end
    assert_equal 100, total.to_h["done"][%w[(other) (other)]]
  end

  def test_growth_of_totals
    @counts.enqueued("mail" => {"MailJob" => 3})
    @counts.enqueued("mail" => {"MailJob" => 5, "OtherJob" => 1})
    @counts.expired("mail" => 2)
    total = Worker::RunCounts.new
    @counts.take.each { |rows| total.add(rows) }
    @counts.expired("mail" => 2)
    assert_equal [], @counts.take
    assert_equal({%w[mail MailJob] => 5, %w[mail OtherJob] => 1}, total.to_h["enqueued"])
    assert_equal({["mail"] => 2}, total.to_h["expired"])
  end

  def test_growth_of_isolated_workers
    @counts.isolated("done" => 2, "failed" => 1, "dead" => 1)
    @counts.isolated("done" => 3, "failed" => 1, "dead" => 1)
    labels = [Worker::RunCounts::ISOLATED] * 2
    assert_equal 3, @counts.to_h["done"][labels]
    assert_equal 1, @counts.to_h["dead"][[*labels, "failure"]]
  end

  def test_a_worker_counts_its_runs
    work
    enqueue(NoteJob, 1)
    await_counts(queue: 0, running: 0)
    counts = @handles.first.worker.counts
    assert_equal({["default", NoteJob.name] => 1}, counts["done"])
    assert_equal 1, counts["wait"][["default"]][..-2].sum
    assert_includes counts["store"].keys, ["claim"]
  end
end
