# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/jobs_mysql"
require "ledger/campaign"

module Raffia
  # Jobs, workflows and durable functions are kept and done while workers are killed and stand
  # still, clocks jump, networks part, servers die and the power goes: all whose keeping was
  # acknowledged is done, and acknowledged once. `rake test:ledger` does it with many more.
  class JobsLedgerTest < TestCase
    JOBS = Integer(ENV.fetch("RAFFIA_LEDGER", "1000"))
    ALL = JOBS > 10_000
    SEED = ENV["RAFFIA_LEDGER_SEED"]&.to_i
    TABLE = []
    Minitest.after_run { puts "", Ledger::Result.head, *TABLE } if ALL

    def setup
      need_fork
      need_cruby "fibers"
      unless File.exist?("/proc/self/task/#{::Process.pid}/children")
        skip "/proc/PID/task/PID/children: of Linux"
      end
      @dir = Dir.mktmpdir("raffia-ledger-")
      Dir.mkdir(@disk = File.join(@dir, "disk"))
    end

    def teardown
      FileUtils.remove_entry(@dir) if @dir
    end

    # One that stands still for longer than its lease takes 20 s, so a short test has no more than
    # that.
    def faults(*more)
      %i[kill_worker kill_supervisor turn_clock] + more + (ALL ? [:stop_worker] : [])
    end

    def campaign(url, faults, jobs: JOBS, **options)
      options = {nap: 0.01, pause: 2.0..8.0, **options} if ALL
      options = {seed: SEED, **options} if SEED
      campaign = Ledger::Campaign.new(@dir, url, jobs: jobs, faults: faults,
        log: ALL ? $stderr : nil, **options)
      campaign.run.tap { |result| report(result, campaign.seed) }
    rescue Ledger::Shim::Missing => error
      skip error.message
    end

    # One row of the table at the end.
    def report(result, seed)
      return unless ALL

      puts "\n#{name}, RAFFIA_LEDGER_SEED=#{seed}: #{result}"
      TABLE << result.row(name.delete_prefix("test_").tr("_", " "))
    end

    def sqlite(query = "") = "sqlite:#{@disk}/jobs.db#{query}"

    def assert_nothing_lost(result)
      assert(result.good?, result.to_s)
      # Producers count steps of workflows roughly.
      assert_operator(result.size, :>=, JOBS / 2)
    end

    def test_sqlite_whose_disk_forgets_what_was_not_synced
      assert_nothing_lost(campaign(sqlite, faults(:fill_disk, :cut_power), disk: @disk,
        forgets: %i[turn_clock cut_power]))
    end

    # It is the syncs that keep jobs: without them this very campaign loses some, of those that wait
    # when the power goes.
    def test_without_syncs_the_power_cut_is_felt
      result = campaign(sqlite("?synchronous=off"), [:cut_power], jobs: 0, disk: @disk,
        pause: 0.1..0.2, nap: 0.001, backlog: 1000)
      refute_empty(result.lost, result.to_s)
    end

    # Its jobs would die with its process, so what dies is a worker's fibers.
    def test_memory_whose_workers_end
      seed = SEED || Random.new_seed % (1 << 32)
      shim = Ledger::Shim.new(@dir)
      path, log = %w[result log].map { |file| File.join(@dir, file) }
      made = system(
        {"LEDGER_HISTORY" => File.join(@dir, "history"), "LEDGER_STORE" => "memory", **shim.env},
        RbConfig.ruby, "-I#{Ledger::Worker::ROOT}/lib",
        "#{Ledger::Worker::ROOT}/test/ledger/memory.rb", JOBS.to_s, seed.to_s, path,
        err: ALL ? :err : log
      )
      assert(made, ALL ? "see above" : File.read(log))
      result = Ledger::Result.new(**Marshal.load(File.binread(path)))
      report(result, seed)
      assert_nothing_lost(result)
    rescue Ledger::Shim::Missing => error
      skip error.message
    end

    def test_redis_that_is_killed
      server = running(TestSupport::DurableRedis)
      assert_nothing_lost(campaign("redis://127.0.0.1:#{server.port}/0", faults(:kill_server, :part),
        server: server))
    end

    # test/contract/jobs/redis_older_test.rb is the short one.
    if ALL
      def test_redis_with_older_data
        server = running(TestSupport::DurableRedis)
        assert_nothing_lost(campaign("redis://127.0.0.1:#{server.port}/0",
          faults(:kill_server, :restore_older), server: server, forgets: [:restore_older]))
      end
    end

    def test_mysql_that_is_killed
      server = running(TestSupport::MariaDB)
      assert_nothing_lost(campaign(TestSupport::JobsMySQL.database(server, "ledger"),
        faults(:kill_server, :part), server: server))
    end

    def test_postgres_that_is_killed
      server = running(TestSupport::PostgreSQL)
      assert_nothing_lost(
        campaign("postgres://postgres@127.0.0.1:#{server.port}/postgres?schema=ledger",
          faults(:kill_server, :part), server: server, forgets: [:kill_server])
      )
    end

    private

    def running(kind)
      kind.running
    rescue TestSupport::Server::Missing => error
      skip error.message
    end
  end
end
