# frozen_string_literal: true

require "net/http"
require "support/servers"
require_relative "work_case"

# `raffia work --from beanstalk://...`, as people start it.
class JobsBeanstalkWorkTest < Raffia::JobsWorkCase
  JOBS = <<~'RUBY'

    class CopyJob < Job
      def perform(word)
        say(word)
        QuickJob.perform_async("from #{word}")
      end
    end

    class SlowJob < Job
      def perform
        say("began")
        sleep(4.5)
        say("done")
      end
    end
  RUBY

  def setup
    @server = TestSupport::Beanstalkd.running
    super
    File.write(File.join(@dir, "jobs.rb"), JOBS, mode: "a")
    @tube = "work#{object_id}"
    @source = Raffia::Jobs::Store.open("#{address}?ttr=3")
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    @source&.close
    super
  end

  def test_takes_jobs_from_the_tube_and_stores_others_as_the_program_says
    put("CopyJob", "a")
    from("--concurrency", "5") do
      await_said("CopyJob", "a")
      await_counts(queue: 1)
    end
    assert_equal ["from a"], @store.entries(:queue, queue: "default").first.item["args"]
  end

  def test_health_and_metrics_show_the_tubes
    put("GateJob", "gate")
    put("GateJob", "gate")
    @source.enqueue([Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build(
      {"class" => "QuickJob", "args" => [], "at" => Time.now.to_f + 60}
    ))])
    from("--concurrency", "1", "--health", "tcp://127.0.0.1:0") do |worker|
      await_said("GateJob", "began")
      url = await("no address") { worker.out[%r{"health":"(http://[^"]+)"}, 1] }
      await("no sizes of the tube") { state(url)&.fetch("queues", nil)&.any? }
      queue = state(url)["queues"].find { |one| one["name"] == "default" }
      assert_equal [1, false], queue.values_at("size", "paused")
      assert_operator state(url)["counts"]["scheduled"], :>=, 1
      open_gate("gate")
    end
  end

  # It takes longer than its time to run, three seconds.
  def test_touches_a_long_job_in_two_processes
    put("SlowJob")
    from("--processes", "2") do
      await_said("SlowJob", "done")
    end
    assert_equal %w[began done], said.map { |line| line[1] }
    assert_equal [0, 0], size
  end

  def test_a_killed_worker_loses_nothing
    put("GateJob", "gate")
    from do |worker|
      pid = await_said("GateJob", "began").first.last.to_i
      ::Process.kill(:KILL, pid)
      await_said("GateJob", "began", count: 2)
      open_gate("gate")
      await_said("GateJob", "done")
      assert worker.running?
    end
  end

  def test_jobs_of_other_programs_by_a_map
    File.write(File.join(@dir, "map.rb"), <<~RUBY)
      ->(bytes) { {"class" => "QuickJob", "args" => bytes.split(",")} }
    RUBY
    socket = TCPSocket.new("127.0.0.1", @server.port)
    socket.write("use #{@tube}\r\nput 1 0 10 5\r\nhello\r\n")
    from("--map", "map.rb") { await_said("QuickJob", "hello") }
  ensure
    socket&.close
  end

  def test_clear_errors
    {["--from", "redis://localhost"] => /--from takes the address of a beanstalkd/,
     ["--from", "beanstalk://h/-"] => /is no address of beanstalkd/,
     ["--from", address, "--map", "none.rb"] => /none\.rb/}.each do |arguments, message|
      ended = raffia("work", "-r", "./jobs.rb", *arguments)
      assert_match message, ended.err
      refute_equal 0, ended.code
      refute_match(/\.rb:\d+:in/, ended.err)
    end
  end

  def url = "sqlite:#{File.join(@dir, "jobs.db")}"

  private

  def address = "beanstalk://127.0.0.1:#{@server.port}/#{@tube}"

  def state(url)
    text = Net::HTTP.get(URI.join(url, "/stats.json"))
    JSON.parse(text)["store"]
  end

  def put(job, *args)
    item = Raffia::Jobs::Client::PayloadBuilder.build({"class" => job, "args" => args})
    @source.enqueue([Raffia::Jobs::Draft.of(item)])
  end

  def from(*argv)
    worker = start(EXECUTABLE, "work", "--json", "--store", url, "--from", address,
      "-r", "./jobs.rb", *argv)
    @worker = worker
    yield worker
  ensure
    worker&.finish
  end

  # Jobs that wait or run, of the tube.
  def size
    [@source.queues.find { |queue| queue["name"] == "default" }.to_h.fetch("size", 0),
      @source.counts[:running]]
  end
end
