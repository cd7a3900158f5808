# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "support/jobs_case"

# The place of a running job, as a remote observer gets it.
class JobsWorkerTraceTest < TestSupport::JobsCase
  SEEN = TestSupport::JobsCase::SEEN

  class DeepJob
    include Raffia::Job

    def perform(gate) = deep(gate)

    def deep(gate)
      SEEN << [:began]
      sleep(0.01) until File.exist?(gate)
    end
  end

  class ThreadedJob < DeepJob
    options on: :threads
  end

  class ElsewhereJob < DeepJob
    options on: :processes

    def deep(gate)
      sleep(0.01) until File.exist?(gate)
    end
  end

  def setup
    super
    @gate = File.join(Dir.tmpdir, "raffia-gate-#{::Process.pid}-#{object_id}")
  end

  def teardown
    super
    FileUtils.rm_f(@gate)
  end

  def running = Array(@store.processes.first["work"]).first || {}

  # Asks where it is, again and again, while it runs.
  def trace(job)
    work(lease: 600, beat: 0.05)
    jid = job.perform_async(@gate)
    seen if job != ElsewhereJob
    wait_until { @store.counts[:running] == 1 }
    wait_until do
      @store.order(@store.processes.first["identity"], "trace #{jid}")
      running["jid"] == jid
    end
    yield
    FileUtils.touch(@gate)
    await_counts(queue: 0, running: 0)
  end

  [DeepJob, ThreadedJob].each do |job|
    define_method(:"test_#{job.name[/\w+\z/]}") do
      trace(job) do
        wait_until { running["backtrace"] }
        assert_match(/trace_test\.rb:\d+:in .*deep/, running["backtrace"].join("\n"))
        assert_match(/trace_test\.rb:\d+:in .*perform/, running["backtrace"].last)
      end
    end
  end

  def test_nobody_knows_where_it_is_in_another_process
    trace(ElsewhereJob) { refute running.key?("backtrace") }
  end
end
