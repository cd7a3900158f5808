# frozen_string_literal: true

require "socket"
require "support/jobs_case"
require "support/servers"
require "raffia/jobs/web"

# The store of beanstalkd, with a real one, beside another client.
class JobsBeanstalkTest < TestSupport::JobsCase
  # Says what it does with its number of runs.
  class TwiceJob
    include Raffia::Job

    options retry: 3
    retry_in { 0 }

    def perform
      JobsBeanstalkTest::SEEN << [run.item["retry_count"]]
      raise ArgumentError, "on purpose" unless run.item["retry_count"]
    end
  end

  # Fails for good.
  class HopelessJob
    include Raffia::Job

    options retry: 0

    def perform = raise(ArgumentError, "on purpose")
  end

  # Longer than its time to run.
  class SlowJob
    include Raffia::Job

    def perform(seconds)
      JobsBeanstalkTest::SEEN << :began
      sleep(seconds)
      JobsBeanstalkTest::SEEN << :done
    end
  end

  def setup
    @server = TestSupport::Beanstalkd.running
    @tube = "tube#{object_id}"
    @client = TCPSocket.new("127.0.0.1", @server.port)
    super
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    super if @store
    @client&.close
  end

  def open_store(more = nil, **options)
    Jobs::Store.open("beanstalk://127.0.0.1:#{@server.port}/#{@tube}#{more}", **options)
  end

  def test_expired_jobs_are_deleted_and_counted
    @store.enqueue([Jobs::Draft.new(jid: "a" * 24, queue: "default", at: nil,
      payload: '{"class":"A","args":[],"raffia":{"expires_at":1}}', extras: {"expires_at" => 1})])
    assert_equal [], @store.claim(@store.enroll("test:1:a", {}), ["default"], 5)
    assert_equal({"default" => 1}, @store.expired)
    assert_equal 0, facts["current-jobs-ready"]
  end

  def test_jobs_are_put_reserved_run_and_deleted
    jid = NoteJob.perform_async(1, "two")
    assert_equal 24, jid.size
    assert_equal 1, facts["current-jobs-ready"]
    work
    assert_equal [1, "two"], seen
    wait_until { facts.values_at("cmd-delete", "current-jobs-reserved") == [1, 0] }
  end

  def test_a_waiting_worker_gets_a_job_at_once
    work
    sleep(0.1)
    NoteJob.perform_async(1)
    assert_equal [1], seen(5)
  end

  def test_priority_and_delay
    NoteJob.perform_in(1, "later")
    NoteJob.perform_async("plain")
    NoteJob.set(priority: 5).perform_async("first")
    assert_equal [2, 1], facts.values_at("current-jobs-ready", "current-jobs-delayed")
    work(concurrency: 1)
    assert_equal [["first"], ["plain"], ["later"]], Array.new(3) { seen }
  end

  def test_a_failure_is_released_and_counted
    TwiceJob.perform_async
    work
    assert_equal [[nil], [0]], Array.new(2) { seen }
    wait_until { facts["cmd-delete"] == 1 }
  end

  def test_what_fails_for_good_is_buried
    HopelessJob.perform_async
    put("no JSON")
    put(JSON.generate("class" => "Nowhere", "args" => [], "retry" => 0))
    work
    wait_until { facts["current-jobs-buried"] == 3 }
    assert_operator @store.counts[:dead], :>=, 3 # other tests' too
  end

  def test_a_long_job_is_touched_and_runs_once
    @store.close
    Jobs.store = @store = open_store("?ttr=1")
    SlowJob.perform_async(2.5)
    work
    work(open_store("?ttr=1"))
    assert_equal %i[began done], Array.new(2) { seen }
    wait_until { facts["cmd-delete"] == 1 }
    assert_equal 0, SEEN.size, "it ran twice"
  end

  def test_a_worker_that_stops_gives_its_jobs_back_uncounted
    StuckJob.perform_async("a")
    handle = work(timeout: 0)
    assert_equal [:began, "a"], seen
    handle.stop
    wait_until { facts["current-jobs-ready"] == 1 }
    claim, = @store.claim(lease, ["default"], 1)
    assert_nil claim.item["retry_count"]
  end

  def test_a_killed_process_gives_its_jobs_back
    NoteJob.perform_async(1)
    pid = fork do
      store = open_store
      store.claim(store.enroll("a", {}), ["default"], 1)
      ::Process.kill(:KILL, ::Process.pid)
    end
    ::Process.wait(pid)
    wait_until { facts["current-jobs-ready"] == 1 }
  end

  def test_a_lost_claim_is_not_acknowledged
    NoteJob.perform_async(1)
    claim, = @store.claim(lease, ["default"], 1)
    command("delete #{claim.ref.first}") # by another: it is refused
    assert_equal 1, facts["current-jobs-reserved"]
    @store.release([claim])
    wait_until { facts["current-jobs-ready"] == 1 }
    assert_equal [false], @store.ack([claim])
    refute @store.bury(claim, "")
  end

  def test_jobs_of_other_programs
    map = ->(bytes) { {"class" => NoteJob.name, "args" => [bytes.upcase]} unless bytes == "bad" }
    put("hello")
    put("bad")
    work(open_store(map: map))
    assert_equal ["HELLO"], seen
    wait_until { facts["current-jobs-buried"] == 1 }
  end

  def test_a_large_job_is_refused
    assert_raises(Jobs::PayloadTooLarge) { NoteJob.perform_async("x" * 70_000) }
    NoteJob.perform_async(1) # the connection can still be used
    assert_equal 1, facts["current-jobs-ready"]
  end

  def test_queues_and_pauses
    NoteJob.set(queue: "a-b").perform_async(1)
    NoteJob.perform_async(1)
    queues = @store.queues.to_h { |queue| queue.values_at("name", "size") }
    assert_equal [1, 1], queues.values_at("default", "a-b")
    @store.pause("default")
    assert(@store.queues.find { |queue| queue["name"] == "default" }["paused"])
    assert_empty @store.claim(lease, ["default"], 1)
    @store.resume("default")
    assert_equal 1, @store.claim(lease, %w[default], 1).size
    @store.claim(lease, %w[a-b], 1).then { |claims| @store.ack(claims) }
    assert_raises(Raffia::NotFound) { @store.pause("none") }
  end

  # Each operation of the contract that is refused, by its name.
  def test_what_beanstalkd_cannot_do
    {entries: [:dead], find: ["a"], delete: [[]], requeue: [[]], kill: [[]], clear: [:dead],
     order: %w[a stop], write: %w[a b], history: [], metrics: [], open_batch: [nil, nil],
     rate: ["a"], rates: [], close_rate: ["a", 1], change_rate: ["a", nil],
     seal_batch: [nil], batch: ["a"], batches: []}.each do |name, arguments|
      error = assert_raises(Jobs::Unsupported) { @store.public_send(name, *arguments) }
      assert_equal name, error.operation
      assert_match(/\Abeanstalkd cannot do #{name}: it /, error.message)
    end
    groups = %i[flows workflows rates batches statistics]
    Jobs::Store::OPERATIONS.fetch_values(*groups).flatten.each do |name|
      assert_equal name, assert_raises(Jobs::Unsupported) { @store.public_send(name) }.operation
    end
    assert_equal :precondition, assert_raises(Jobs::Unsupported) {
      @store.enqueue([], precondition: Jobs::Precondition.new("a", nil, "b"))
    }.operation
    {unique: {unique: :done}, limit: {limit: 1}, batch: {batch: "a"}, rate: {rate: 1, per: 60},
     fair: {fair_by: ->(*) { "a" }}}.each do |name, options|
      error = assert_raises(Jobs::Unsupported) { NoteJob.set(**options).perform_async(1) }
      assert_equal name, error.operation
    end
    assert_equal 0, facts["current-jobs-ready"].to_i
  end

  def test_the_dashboard_says_so
    web = Raffia::Jobs::Web.new(store: @store, auth: :none)
    %w[/dead /scheduled].each do |path|
      status, _, body = web.call("REQUEST_METHOD" => "GET", "PATH_INFO" => path,
        "SCRIPT_NAME" => "", "QUERY_STRING" => "", "rack.input" => StringIO.new)
      assert_equal 501, status, path
      assert_match(/beanstalkd cannot do entries/, body.to_enum.to_a.join)
    end
  end

  def test_every_operation_is_done_or_refused
    Jobs::Store::OPERATIONS.each do |group, names|
      made = @store.instance_variable_get(:"@#{group}")
      names.each do |name|
        assert_equal made.class, made.method(name).owner, "#{group}.#{name} is the contract's"
      end
    end
  end

  def test_addresses
    assert_equal "beanstalk://localhost:11300/default",
      Jobs::Store.open("beanstalk://localhost").url
    ["beanstalk:", "beanstalk://h/a b", "beanstalk://h/a?ttr=x", "beanstalk://h/a?x=1",
      "beanstalk://h/-a"].each do |url|
      assert_raises(Raffia::ConfigError, url) { Jobs::Store.open(url) }
    end
    down = Jobs::Store.open("beanstalk://127.0.0.1:1/a")
    assert_raises(Jobs::StoreUnavailable) { down.counts }
  end

  def test_a_server_that_went_away_is_found_again
    work(recover: 60)
    sleep(0.1)
    @server.kill
    assert_raises(Jobs::StoreUnavailable) { 3.times { NoteJob.perform_async(1) } }
    @server.start
    NoteJob.perform_async(2)
    assert_equal [2], seen
  end

  private

  def lease = @lease ||= @store.enroll("a", {})

  # The other client.
  def command(line)
    @client.write("#{line}\r\n")
    @client.gets("\r\n")
  end

  def put(bytes)
    command("use #{@tube}")
    assert_match(/INSERTED/, command("put 1 0 60 #{bytes.bytesize}\r\n#{bytes}"))
  end

  # @return [Hash{String => Integer}] of the tube
  def facts
    word, size = command("stats-tube #{@tube}").split
    return Hash.new(0) unless word == "OK"

    @client.read(size.to_i + 2).lines(chomp: true).drop(1).to_h { |line|
      name, value = line.split(": ")
      [name, value.to_i]
    }
  end
end
