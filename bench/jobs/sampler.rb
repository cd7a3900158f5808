# frozen_string_literal: true

require "json"
require "raffia/lab/statistics"
require "tmpdir"
require_relative "counters"
require_relative "databases"
require_relative "marks"
require_relative "pace"
require_relative "systems"
require_relative "worker_process"

module JobsBench
  # Takes one sample of one target at one workload. It enqueues; the jobs are done by a worker in a
  # process of its own.
  class Sampler
    PATIENCE = 60 # seconds
    SETTLE = 0.3 # seconds that what comes after a job, such as its acknowledgement, may take
    WARM = 0.2 # of the jobs: they are done before anything is measured
    SECONDS = 2.0 # of a workload with a rate, or without jobs

    # Prints the sample as JSON.
    # @param setup [Setup]
    # @param plan [Plan]
    # @param scale [Float]
    def self.run(setup, plan, scale)
      ENV["JOBS_BENCH_KIND"] = plan.kind
      Dir.mktmpdir("jobs-bench-", "/var/tmp") do |folder|
        File.chmod(0o755, folder)
        database = Databases::ALL.fetch(setup.database).new(folder)
        database.start
        puts JSON.generate(new(setup, plan, scale, database).sample)
      ensure
        database&.stop
      end
    end

    # @param database [Databases::Folder]
    def initialize(setup, plan, scale, database)
      @plan = plan
      @scale = scale
      @database = database
      @system = Systems.fetch(setup.system).new(database, plan.concurrency || setup.concurrency)
      @own = Usage.new(Process.pid)
      @server = Usage.new(database.pid)
    end

    # @return [Hash] the sample
    def sample
      @system.connect unless @system.together?
      send(@plan.way)
    ensure
      @worker&.stop
    end

    private

    # All jobs are there when the worker comes.
    def drain
      jobs = jobs_at(@plan.jobs)
      warm = (jobs * WARM).ceil
      put(0...(warm + jobs)) unless @system.together?
      work(warm, warm + jobs)
      await(warm)
      measure(jobs) { await(warm + jobs) }.merge(memory)
    end

    def enqueue
      jobs = jobs_at(@plan.jobs)
      warm = (jobs * WARM).ceil
      put(0...warm)
      before = [@own.cpu, @server.cpu, Work.now]
      put(warm...(warm + jobs))
      figures(jobs, *[@own.cpu, @server.cpu, Work.now].zip(before).map { |now, first| now - first })
        .tap { complete(warm + jobs) }
    end

    # Nothing is acknowledged that is not there.
    def complete(jobs)
      raise Bench::Wrong, "#{@system.left} of #{jobs} jobs are there" unless @system.left == jobs
    end

    # Jobs come while the worker works.
    def pace
      jobs = jobs_at(@plan.rate * SECONDS)
      warm = 20
      work(warm, warm + jobs)
      put(0...warm) unless @system.together?
      await(warm)
      late = nil
      measured = measure(jobs) do
        come(warm...(warm + jobs)) unless @system.together?
        late = await(warm + jobs)
      end
      {**measured, **percentiles(late), **memory}
    end

    def come(numbers)
      @system.session do
        Pace.new(@plan.rate).call(numbers) { |number, due| @system.push(number, due) }
      end
    end

    # Calls to the database, for jobs and without.
    def idle
      jobs = jobs_at(@plan.jobs)
      work(1, jobs + 1)
      put(0...1)
      await(1)
      counters = Counters.new(@worker.usage, @server, @database)
      put(1...(jobs + 1))
      await(jobs + 1)
      sleep(SETTLE)
      busy = counters.lap(jobs, "")
      sleep(SETTLE * 3)
      counters.lap(1, "")
      quiet = nil
      measured = measure(SECONDS, settle: 0) do
        sleep(SECONDS)
        quiet = counters.lap(SECONDS, "idle_")
      end
      {**measured, rate: nil, **busy, **quiet, **memory}
    end

    def million
      jobs = jobs_at(@plan.jobs)
      tenth = jobs / 10
      put(0...(jobs - tenth))
      began = Work.now
      put((jobs - tenth)...jobs)
      put_rate = tenth / (Work.now - began)
      size_mib = @database.size
      work(jobs / 100, tenth, jobs - tenth, jobs)
      await(jobs / 100)
      drained(jobs, tenth).merge(put_rate:, size_mib:, **memory)
    end

    def drained(jobs, tenth)
      first = timed { await(tenth) }
      last = nil
      measured = measure(jobs - tenth) do
        await(jobs - tenth)
        last = timed { await(jobs) }
      end
      {**measured, first_rate: (tenth - jobs / 100) / first, last_rate: tenth / last}
    end

    def timed = Work.now.then { |began| yield && Work.now - began }

    def jobs_at(jobs) = [(jobs * @scale).round, 10].max

    def put(numbers)
      @system.session do
        next numbers.each { |number| @system.push(number) } if @plan.name == "enqueue"

        numbers.each_slice(1000) { |slice| @system.bulk(slice) }
      end
    end

    def work(*marks)
      fifo = "#{@database.folder}/marks"
      @marks = Marks.new(fifo)
      @worker = WorkerProcess.new(@system, @database.folder,
        {"JOBS_BENCH_FIFO" => fifo, "JOBS_BENCH_MARKS" => marks.join(","),
         "JOBS_BENCH_WORK" => @plan.work, "JOBS_BENCH_RATE" => @plan.rate.to_s})
    end

    def await(count) = @marks.await(count, patience, @worker)

    def patience = PATIENCE * [@plan.jobs / 100_000, 1].max

    def measure(operations, settle: SETTLE)
      before = [@worker.usage.cpu, @server.cpu]
      began = Work.now
      yield
      wall = Work.now - began
      sleep(settle)
      figures(operations, @worker.usage.cpu - before[0], @server.cpu - before[1], wall)
        .tap { empty unless @system.together? }
    end

    def figures(operations, cpu, server, wall)
      {operations:, wall:, cpu:, cpu_us: cpu * 1e6 / operations,
       server_us: (server * 1e6 / operations if @database.pid), rate: operations / wall}
    end

    # The steps after the last job may take longer on a busy machine.
    def empty
      give_up = Work.now + 10
      sleep(0.1) until (left = @system.left).zero? || Work.now > give_up
      raise Bench::Wrong, "#{left} jobs are left" unless left.zero?
    end

    def memory = {pss_mib: @worker.usage.pss}

    def percentiles(late)
      {p50_us: 0.5, p99_us: 0.99, p999_us: 0.999}
        .transform_values { |share| Raffia::Lab::Statistics.percentile(late, share) * 1e6 }
    end
  end
end
