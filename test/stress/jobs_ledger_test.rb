# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "support/jobs_mysql"
require "ledger/campaign"

module Raffia
  # Jobs are kept and done while workers are killed and stand still, clocks jump, servers die and
  # the power goes: every job whose keeping was acknowledged is done, and acknowledged once. `rake
  # test:ledger` does it with a million.
  class JobsLedgerTest < TestCase
    JOBS = Integer(ENV.fetch("RAFFIA_LEDGER", "2000"))
    ALL = JOBS > 10_000

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
      result = Ledger::Campaign.new(@dir, url, jobs: jobs, faults: faults,
        log: ALL ? $stderr : nil, **options).run
      puts "\n#{name}: #{result}" if ALL
      result
    rescue Ledger::Shim::Missing => error
      skip error.message
    end

    def sqlite(query = "") = "sqlite:#{@disk}/jobs.db#{query}"

    def assert_nothing_lost(result)
      assert(result.good?, "#{result}\n#{result.lost.first(10)}")
      assert_operator(result.to_h["kept"], :>=, JOBS)
    end

    def test_sqlite_whose_disk_forgets_what_was_not_synced
      assert_nothing_lost(campaign(sqlite, faults(:fill_disk, :cut_power), disk: @disk))
    end

    # It is the syncs that keep jobs: without them this very campaign loses some, of those that wait
    # when the power goes.
    def test_without_syncs_the_power_cut_is_felt
      result = campaign(sqlite("?synchronous=off"), [:cut_power], jobs: 0, disk: @disk,
        pause: 0.1..0.2, nap: 0.001, backlog: 1000)
      refute_empty(result.lost, result.to_s)
    end

    def test_redis_that_is_killed
      server = running(TestSupport::DurableRedis)
      assert_nothing_lost(campaign("redis://127.0.0.1:#{server.port}/0", faults(:kill_server),
        server: server))
    end

    def test_mysql_that_is_killed
      server = running(TestSupport::MariaDB)
      assert_nothing_lost(campaign(TestSupport::JobsMySQL.database(server, "ledger"),
        faults(:kill_server), server: server))
    end

    def test_postgres_that_is_killed
      server = running(TestSupport::PostgreSQL)
      assert_nothing_lost(
        campaign("postgres://postgres@127.0.0.1:#{server.port}/postgres?schema=ledger",
          faults(:kill_server), server: server)
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
