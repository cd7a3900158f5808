# frozen_string_literal: true

require "open3"
require "support/jobs_case"

class JobsWorkerJobLoggerTest < TestSupport::JobsCase
  Finished = Struct.new(:number) do
    def name = "A"

    def queue = "default"

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

  def test_a_logger_of_another_kind_needs_no_gem_logger
    script = <<~RUBY
      require "raffia/jobs/worker"
      log = Struct.new(:info?).new(true)
      Raffia::Jobs::Worker::JobLogger.new(log, Raffia::Instrument.new)
      print defined?(::Logger).inspect
    RUBY
    lib = File.expand_path("../../../../lib", __dir__)
    output, status = Open3.capture2e(RbConfig.ruby, "-W0", "-I", lib, "-e", script)
    assert_equal "nil", output
    assert_predicate status, :success?
  end

  private

  def job_logger(log) = Worker::JobLogger.new(log, Raffia::Instrument.new)
end
