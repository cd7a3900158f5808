# frozen_string_literal: true

require "json"
require "open3"
require "tmpdir"
require "test_helper"
require_relative "../../support/servers"

# Costs of a job that does nothing, in counts that are the same everywhere. The worker is a program
# of its own, so only its work is counted.
class JobsCountsTest < Raffia::TestCase
  JOBS = 1000
  # Ruby objects for a job in memory: the claim, the run, its region, the line in the log; five are
  # the payload's.
  MOST_OBJECTS = 30
  # For 100 jobs, 50 at a time: a claim and an ack for each 50, and heartbeats.
  MOST_REQUESTS = 12
  # For the same 100 jobs: an ack for each 50. A claim need not be on disk.
  MOST_FLUSHES = 6
  # For a job that an idle worker gets: the enqueue, the claim, the ack, and the next wait. A job
  # that comes before the worker waits again costs one more.
  MOST_REQUESTS_ALONE = 4.5

  PROGRAM = <<~RUBY
    require "json"
    require "logger"
    require "raffia/jobs"
    require "raffia/jobs/worker"

    class CountedJob
      include Raffia::Job
      @done = 0
      class << self
        attr_accessor :done, :marks
      end
      self.marks = []

      def perform(_number)
        CountedJob.done += 1
        return unless CountedJob.done == WARM || CountedJob.done == WARM + JOBS

        GC.disable
        CountedJob.marks << [GC.stat(:total_allocated_objects), $flushes, requests]
      end

      def requests
        return unless ENV["REDIS_PORT"]

        TCPSocket.open("127.0.0.1", ENV["REDIS_PORT"]) do |socket|
          socket.write("INFO stats\\r\\n")
          socket.readpartial(65_536)[/total_reads_processed:(\\d+)/, 1].to_i
        end
      end
    end

    JOBS = Integer(ARGV[1])
    WARM = 200
    $flushes = 0
    counter = TracePoint.new(:c_call) { |call| $flushes += 1 if call.method_id == :fdatasync }
    counter.enable if ARGV[0].start_with?("sqlite")
    store = Raffia::Jobs.store = ARGV[0]
    (WARM + JOBS).times.each_slice(500) { |numbers| CountedJob.perform_bulk(numbers.zip) }
    log = Logger.new(File::NULL, level: :info, formatter: Raffia::Log::Text.new)
    handle = Raffia::Jobs::Worker.new(Raffia::Jobs.store, concurrency: 50, log: log).start
    sleep(0.01) until CountedJob.marks.size == 2
    handle.stop
    puts JSON.generate(CountedJob.marks.transpose.map { |first, last| first && last - first })
  RUBY

  ALONE = <<~'RUBY'
    require "logger"
    require "raffia/jobs"
    require "raffia/jobs/worker"

    DONE = Thread::Queue.new

    class AloneJob
      include Raffia::Job

      def perform(_number) = DONE.push(true)
    end

    def requests
      TCPSocket.open("127.0.0.1", ENV["REDIS_PORT"]) do |socket|
        socket.write("INFO stats\r\n")
        socket.readpartial(65_536)[/total_reads_processed:(\d+)/, 1].to_i
      end
    end

    def work(jobs)
      jobs.times do |number|
        sleep(0.02) # the worker waits again
        AloneJob.perform_async(number)
        DONE.pop
      end
    end

    Raffia::Jobs.store = ARGV[0]
    handle = Raffia::Jobs::Worker.new(Raffia::Jobs.store, log: Logger.new(File::NULL)).start
    work(5)
    before = requests
    work(Integer(ARGV[1]))
    puts requests - before
    handle.stop
  RUBY
  private_constant :PROGRAM, :ALONE

  def test_a_job_in_memory_makes_few_objects
    objects, = counts("memory:")
    assert_operator objects.fdiv(JOBS), :<=, MOST_OBJECTS
  end

  def test_redis_gets_few_requests
    port = redis.port
    _, _, requests = counts("redis://127.0.0.1:#{port}/0", "REDIS_PORT" => port.to_s)
    assert_operator requests * 100.0 / JOBS, :<=, MOST_REQUESTS
  end

  def test_redis_gets_few_requests_for_a_job_alone
    port = redis.port
    jobs = 30
    requests = run_program(ALONE, "redis://127.0.0.1:#{port}/0", jobs, "REDIS_PORT" => port.to_s)
    assert_operator requests.to_f / jobs, :<=, MOST_REQUESTS_ALONE
  end

  def test_many_jobs_in_sqlite_share_a_flush
    Dir.mktmpdir do |folder|
      _, flushes, = counts("sqlite:#{folder}/jobs.db")
      assert_operator flushes, :>, 0
      assert_operator flushes * 100.0 / JOBS, :<=, MOST_FLUSHES
    end
  end

  private

  def redis
    TestSupport::Redis.running
  rescue TestSupport::Server::Missing => missing
    skip missing.message
  end

  def counts(url, env = {}) = JSON.parse(run_program(PROGRAM, url, JOBS, env))

  def run_program(program, url, jobs, env)
    out, err, status = Open3.capture3(env, RbConfig.ruby, "-Ilib", "-e", program, url, jobs.to_s)
    assert_predicate status, :success?, err
    out
  end
end
