# frozen_string_literal: true

require "pty"
require "support/jobs_mysql"
require_relative "work_case"

# `raffia work`, with processes that are killed and stopped at any time.
module JobsWork
  # Contract of all stores.
  module OnAnyStore
    def test_processes_do_jobs_until_they_are_told_to_stop
      enqueue("QuickJob", "early")
      work("--processes", "2", "-q", "default", "-q", "mail,3") do |worker|
        assert_equal [%w[default mail], {"default" => 1, "mail" => 3}, 2], worker_facts(worker)
        enqueue("QuickJob", "late", queue: "mail")
        workers = %w[early late].map { |word| await_said("QuickJob", word).first.last.to_i }
        refute_includes workers, worker.pid
        await_counts(queue: 0, running: 0)
        # or one would be stopped in the middle of enrolling, and its lease would have to end
        await("not both work") { pids.size == 2 }
        worker.kill(:TERM)
        assert_equal 0, worker.ended.exitstatus, worker.err
      end
      assert_empty @store.processes
    end

    def test_what_has_begun_ends_before_the_worker_does
      work do |worker|
        enqueue("GateJob", "gate")
        await_said("GateJob", "began")
        worker.kill(:TERM)
        await("it does not drain") { logged("draining").any? }
        enqueue("QuickJob")
        open_gate("gate")
        assert_equal 0, worker.ended.exitstatus
      end
      assert_equal %w[GateJob GateJob], said.map(&:first)
      assert_equal [1, 0], @store.counts.values_at(:queue, :running)
    end

    def test_what_does_not_end_in_time_goes_back
      jid = enqueue("EndlessJob")
      work("-t", "0.2") do |worker|
        await_said("EndlessJob", "began")
        worker.kill(:TERM)
        assert_equal 0, worker.ended.exitstatus
      end
      entry = @store.find(jid)
      assert_equal :queue, entry.set
      refute entry.item.key?("retry_count")
      assert_equal 1, said.size
    end

    def test_the_jobs_of_a_worker_that_was_killed_are_done_again
      jid = enqueue("GateJob", "gate")
      work("--lease", "3") do |worker|
        first = await_said("GateJob", "began").first.last.to_i
        ::Process.kill(:KILL, first)
        await_began_in("another process") { |pid| pid != first }
        assert_operator @store.find(jid).item["raffia"]["crashes"], :>=, 1
        open_gate("gate")
        await_said("GateJob", "done")
        await_counts(queue: 0, running: 0)
      end
    end

    # A laptop sleeps: others take over, and later calls of its worker do not count.
    def test_a_worker_that_was_suspended_for_too_long
      jid = enqueue("GateJob", "gate")
      work("--lease", "2", "--processes", "0") do |sleeper|
        await_said("GateJob", "began")
        suspend(sleeper)
        work("--lease", "9", "--processes", "0") do |other|
          await_began_in("a process of the other worker's") { |pid| pid != sleeper.pid }
          sleeper.kill(:CONT)
          await("it has not found out") { logged("lease lost").any? }
          assert_equal :running, @store.find(jid).set
          open_gate("gate")
          await("its word counts") { logged("ack too late").any? }
          await_said("GateJob", "done", count: 2)
          await_counts(queue: 0, running: 0)
          other.kill(:TERM)
          assert_equal 0, other.ended.exitstatus
        end
        enqueue("QuickJob")
        assert_equal sleeper.pid, await_said("QuickJob").first.last.to_i
      end
    end

    def test_a_job_that_kills_its_workers_is_dead_after_the_third
      jid = enqueue("DeadlyJob")
      work("--lease", "1") do |worker|
        await_counts(dead: 1)
        assert_includes 1..3, said.size
      end
      item = @store.find(jid).item
      assert_equal ["Raffia::WorkerDied", 3], [item["error_class"], item["raffia"]["crashes"]]
    end

    def test_quiet_workers_begin_no_more
      work do |worker|
        first = pids
        worker.kill(:TSTP)
        await("it is not quiet") { logged("quiet").any? }
        enqueue("QuickJob")
        work("--processes", "0") do |other|
          assert_equal other.pid, await_said("QuickJob").first.last.to_i
          refute_includes first, other.pid
        end
      end
    end

    private

    # A worker that stands still for longer than its lease may have begun it twice itself.
    def await_began_in(where)
      await("it has not begun in #{where}") do
        said.any? { |job, word, pid| job == "GateJob" && word == "began" && yield(pid.to_i) }
      end
    end

    def suspend(worker)
      worker.kill(:STOP)
      ::Process.wait2(worker.pid, ::Process::WUNTRACED) # it has stopped
    end

    def worker_facts(worker)
      JSON.parse(worker.out.lines.first).values_at("queues", "weights", "processes")
    end
  end

  class OnSQLiteTest < Raffia::JobsWorkCase
    include OnAnyStore

    def url = "sqlite:#{File.join(@dir, "jobs.db")}"

    def test_a_restart_brings_new_code
      work do |worker|
        enqueue("QuickJob", "old")
        await_said("QuickJob", "old")
        script PROGRAM.sub("say(word)", 'say("new", word)'), "jobs.rb"
        worker.kill(:HUP)
        await("it has not restarted") { worker.err.include?("restarted: generation 2") }
        old = said.first.last.to_i
        await("the old worker is still there") { !pids.include?(old) }
        enqueue("QuickJob")
        await_said("QuickJob", "new")
      end
    end

    def test_a_worker_that_has_grown_too_large_is_replaced
      unless File.readable?("/proc/self/smaps_rollup")
        skip "the system does not tell how large processes are"
      end

      work("--memory-limit", "250m") do |worker|
        enqueue("GreedyJob")
        first = await_said("GreedyJob", "began").first.last.to_i
        await("it is not replaced") { pids.any? && !pids.include?(first) }
        assert_match(/the limit is 262144000/, worker.err)
        enqueue("QuickJob")
        await_said("QuickJob")
      end
    end

    def test_a_worker_whose_loop_stands_still_is_replaced
      work("--hang-timeout", "3") do |worker|
        enqueue("HogJob", queue: "default")
        first = await_said("HogJob", "began").first.last.to_i
        await("it is not replaced") { pids.any? { |pid| pid != first } }
      end
    end

    def test_alone_in_one_process_with_an_address_for_questions
      work("--processes", "0", "--health", "tcp://127.0.0.1:0", "--pidfile", "pid", "--tag", "shop",
        "--label", "blue") do |worker|
        health = JSON.parse(worker.out.lines.first)["health"]
        assert_equal worker.pid.to_s, File.read(File.join(@dir, "pid")).strip
        assert_equal ["200", "running: 1 of 1 workers ready\n"],
          Net::HTTP.get_response(URI("#{health}/health"))
            .then { |answer| [answer.code, answer.body] }
        assert_equal "200", Net::HTTP.get_response(URI("#{health}/ready")).code
        assert_equal 1, JSON.parse(Net::HTTP.get(URI("#{health}/stats.json")))["ready"]
        assert_equal "404", Net::HTTP.get_response(URI("#{health}/")).code
        assert_equal [["shop", ["blue"], worker.pid]],
          @store.processes.map { |one| one.values_at("tag", "labels", "pid") }
        enqueue("QuickJob")
        assert_equal worker.pid, await_said("QuickJob").first.last.to_i
        worker.kill(:INT)
        assert_equal 0, worker.ended.exitstatus
      end
      refute_path_exists File.join(@dir, "pid")
    end

    def test_one_more_and_one_less
      work do |worker|
        worker.kill(:TTIN)
        await("there is no second one") { pids.size == 2 }
        worker.kill(:TTOU)
        await("the second one is still there") { pids.size == 1 }
        enqueue("QuickJob")
        assert_equal pids, [await_said("QuickJob").first.last.to_i]
      end
    end

    # Any program at a terminal does so. TSTP quiets workers when it is sent to them alone.
    def test_ctrl_z_suspends_all_processes_until_they_are_continued
      skip "the states of processes are read from /proc" unless File.exist?("/proc/self/stat")

      %w[1 0].each do |processes|
        at_terminal("work", "--store", url, "--processes", processes) do |terminal, pid, _|
          await("it has not begun") { pids.any? }
          terminal.write("\x1A")
          await("not all are suspended") do
            states(pid).then { |found| found.any? && found.uniq == ["T"] }
          end
          enqueue("QuickJob", "after#{processes}")
          ::Process.kill(:CONT, -pid)
          await_said("QuickJob", "after#{processes}")
          ::Process.kill(:TERM, pid)
          await("it does not end") { states(pid).empty? }
        end
      end
    end

    def test_systemd_hears_of_it
      path = File.join(@dir, "notify")
      socket = Socket.new(:UNIX, :DGRAM).tap { |one| one.bind(Addrinfo.unix(path)) }
      %w[0 1].each do |processes|
        work("--processes", processes, env: {"NOTIFY_SOCKET" => path}) do |worker|
          assert_includes notified(socket, /READY=1/), "MAINPID=#{worker.pid}"
          worker.kill(:TERM)
          assert notified(socket, /STOPPING=1/)
        end
      end
    ensure
      socket&.close
    end

    def test_what_monitoring_asks
      %w[2 0].each do |processes|
        FileUtils.rm_f(File.join(@dir, "said"))
        work("--processes", processes, "--health", "tcp://127.0.0.1:0") do |worker|
          health = JSON.parse(worker.out.lines.first)["health"]
          enqueue("GateJob", "gate#{processes}")
          3.times { |number| enqueue("QuickJob", number.to_s) }
          2.times { enqueue("MissingJob") }
          enqueue("QuickJob", queue: "nobody")
          await_said("GateJob", "began")
          await_said("QuickJob", count: 3)
          stats = nil
          await("its counts are others") do
            stats = JSON.parse(Net::HTTP.get(URI("#{health}/stats.json")))
            # Figures of the store may be seconds old.
            stats["jobs"].values_at("processed", "failed", "retried", "dead", "busy") ==
              [5, 2, 2, 0, 1] &&
              stats["store"]["counts"]&.values_at("queue", "running") == [@store.counts[:queue], 1]
          end
          assert_equal [@store.url, nil], stats["store"].values_at("store", "error")
          assert_equal [@store.counts[:queue], 1],
            stats["store"]["counts"].values_at("queue", "running")
          text = Net::HTTP.get(URI("#{health}/metrics"))
          ["raffia_jobs_processed_total 5",
            "raffia_jobs_retried_total 2", "raffia_worker_busy 1",
            "raffia_job_duration_seconds_count 3", "raffia_store_writable 1",
            "raffia_jobs{set=\"running\"} 1", "raffia_queue_size{queue=\"nobody\"}"].each do |line|
            assert_match(/^#{Regexp.escape(line)}(?: |$)/, text)
          end
          assert_match(/^raffia_queue_latency_seconds\{queue="nobody"\} \d/, text)
          await("labelled counts come a second later") do
            text = Net::HTTP.get(URI("#{health}/metrics"))
            text.match?(/^raffia_jobs_done_total\{queue="default",class="\S*QuickJob"\} 3$/) &&
              text.match?(/^raffia_jobs_failed_total\{.*class="MissingJob",verdict="retry"\} 2$/)
          end
          assert_match(/^raffia_job_wait_seconds_count\{queue="default"\} 4$/, text)
          await("calls of the store are counted after the runs") do
            text = Net::HTTP.get(URI("#{health}/metrics"))
            %w[claim ack beat retry].all? do |call|
              text.match?(/^raffia_store_seconds_bucket\{call="#{call}",le="\+Inf"\} \d/)
            end
          end
          refute_match(/"jid"|tenant/, text)
          scaling = JSON.parse(Net::HTTP.get(URI("#{health}/scaling.json")))
          assert_operator scaling["backlog"], :>=, 1
          assert_includes scaling.keys, "desired_workers"
          assert_equal "# EOF", text.lines.last.strip
          assert_equal "200", Net::HTTP.get_response(URI("#{health}/ready")).code
          open_gate("gate#{processes}")
          await_counts(running: 0)
        end
        @store.clear(:retry)
      end
    end

    # Counts of a worker stay when it dies.
    def test_counts_outlive_workers
      work("--health", "tcp://127.0.0.1:0") do |worker|
        health = JSON.parse(worker.out.lines.first)["health"]
        processed = -> {
          JSON.parse(Net::HTTP.get(URI("#{health}/stats.json")))["jobs"]["processed"]
        }
        enqueue("QuickJob", "one")
        await("it is not counted") { processed.call == 1 }
        old = await_said("QuickJob", "one").first.last.to_i
        ::Process.kill(:KILL, old)
        enqueue("QuickJob", "two")
        refute_equal old, await_said("QuickJob", "two").first.last.to_i
        await("it is not counted on") { processed.call == 2 }
      end
    end

    def test_supervised_with_an_address_for_questions
      work("--health", "tcp://127.0.0.1:0") do |worker|
        health = JSON.parse(worker.out.lines.first)["health"]
        await("it is not ready") { Net::HTTP.get_response(URI("#{health}/ready")).code == "200" }
        assert_equal pids, JSON.parse(Net::HTTP.get(URI("#{health}/stats.json")))["slots"]
          .map { |slot| slot["pid"] }
      end
    end
  end

  class OnSQLiteTest
    private

    # In the middle of a write it would keep the file's lock, and no worker could take over: SQLite
    # has no server that could end it.
    def suspend(worker)
      wait_until(PROCESS_PATIENCE, "whenever it is suspended it has the lock") do
        super && (writable? || !worker.kill(:CONT))
      end
    end

    def writable?
      database = SQLite3::Database.new(File.join(@dir, "jobs.db"))
      ["BEGIN IMMEDIATE", "ROLLBACK"].each { |statement| database.execute(statement) }
    rescue SQLite3::BusyException
      false
    ensure
      database&.close
    end

    # @return [String] the next message that says so
    def notified(socket, what)
      wait_until(PROCESS_PATIENCE) do
        socket.recvfrom_nonblock(4096, exception: false)
          .then { |text, _| text if text.is_a?(String) && what.match?(text) }
      end
    end
  end

  class OnRedisTest < Raffia::JobsWorkCase
    include OnAnyStore

    def url = "redis://127.0.0.1:#{server.port}/3"

    def setup
      super
      @store.class # it is there
      RedisClient.config(host: "127.0.0.1", port: server.port, db: 3).new_client
        .tap { |redis| redis.call("FLUSHDB") }.close
    end

    private

    def server = @server ||= TestSupport::Redis.running
  end

  # In a schema of its own for each test.
  module Postgres
    def url = "postgres://postgres@127.0.0.1:#{server.port}/postgres?schema=work_#{object_id}"

    def teardown
      super
      return unless @server

      @server.start # after a test that has killed it
      PG.connect(host: "127.0.0.1", port: @server.port, user: "postgres", dbname: "postgres")
        .tap do |connection|
        connection.exec("SET client_min_messages = error; DROP SCHEMA IF EXISTS " \
          "work_#{object_id} CASCADE")
      end.close
    end

    private

    def server = @server ||= TestSupport::PostgreSQL.running
  end

  class OnPostgresTest < Raffia::JobsWorkCase
    include OnAnyStore
    include Postgres
  end

  # In a database of its own for each test.
  module MySQL
    def url = @url ||= TestSupport::JobsMySQL.database(server, "work_#{object_id}")

    def teardown
      super
      return unless @server

      @server.start # after a test that has killed it
      TestSupport::JobsMySQL.database(@server, "work_#{object_id}", "DROP DATABASE IF EXISTS")
    end

    private

    def server = @server ||= TestSupport::MariaDB.running
  end

  class OnMySQLTest < Raffia::JobsWorkCase
    include OnAnyStore
    include MySQL
  end

  # A store that goes away, and comes back with all that it had.
  module ComesBack
    # Containers are started together.
    def test_a_store_that_comes_up_later_is_waited_for
      @store.counts
      server.kill
      workers = %w[1 0].map do |processes|
        start(self.class::EXECUTABLE, "work", "--json", "--store", url, "--processes", processes)
      end
      workers.each { |worker| await_line(worker, "store unavailable") }
      server.start
      workers.each { |worker| await_line(worker, "store available") }
      await("they do not both work") { pids.size == 2 }
      enqueue("QuickJob")
      await_said("QuickJob")
    ensure
      workers&.each(&:finish)
    end

    def test_who_waits_for_a_store_can_be_told_to_stop
      server.kill
      workers = %w[1 0].map do |processes|
        start(self.class::EXECUTABLE, "work", "--json", "--store", url, "--processes", processes)
      end
      workers.each { |worker| await_line(worker, "store unavailable") }
      workers.each { |worker| worker.kill(:TERM) }
      assert_equal [0, 0], workers.map { |worker| worker.ended.exitstatus }, workers.map(&:err).join
    ensure
      workers&.each(&:finish)
    end

    def test_monitoring_is_told_that_the_store_is_away
      work("--health", "tcp://127.0.0.1:0", "--lease", "3") do |worker|
        health = JSON.parse(worker.out.lines.first)["health"]
        ready = -> { Net::HTTP.get_response(URI("#{health}/ready")) }
        await("it is not ready") { ready.call.code == "200" }
        server.kill
        answer = nil
        await("it is still ready") { (answer = ready.call).code == "503" }
        assert_match(/the store cannot be written: .*127\.0\.0\.1/, answer.body)
        assert_equal "200", Net::HTTP.get_response(URI("#{health}/health")).code
        assert_match(/^raffia_store_writable 0$/, Net::HTTP.get(URI("#{health}/metrics")))
        server.start
        await("it is not ready again") { ready.call.code == "200" }
      end
    end

    def test_a_worker_that_dies_while_the_store_is_away_is_replaced
      work do |worker|
        first = pids.first
        server.kill
        ::Process.kill(:KILL, first)
        await("no other one has missed the store") do
          logged("store unavailable").any? { |line| JSON.parse(line)["pid"] != first }
        end
        assert worker.running?
        server.start
        await("it has not found the store") { logged("store available").any? }
        enqueue("QuickJob")
        refute_equal first, await_said("QuickJob").first.last.to_i
      end
    end

    def test_what_ends_meanwhile_is_told_later
      work("--lease", "120") do |worker|
        enqueue("GateJob", "gate")
        await_said("GateJob", "began")
        server.kill
        open_gate("gate")
        await_said("GateJob", "done")
        await("it has not missed the store") { logged("store unavailable").any? }
        server.start
        await("it has not found the store") { logged("store available").any? }
        await_counts(queue: 0, running: 0)
        enqueue("QuickJob")
        await_said("QuickJob")
        assert_equal 2, said.count { |name, _| name == "GateJob" }, "nothing was done twice"
      end
    end
  end

  class AwayRedisTest < Raffia::JobsWorkCase
    include ComesBack

    class DurableRedis < TestSupport::Redis
      private

      def command = [*super, "--appendonly", "yes", "--appendfsync", "always"]
    end

    def url = "redis://127.0.0.1:#{server.port}/0"

    def setup
      super
      if server
        RedisClient.config(host: "127.0.0.1", port: server.port).new_client
          .tap { |redis| redis.call("FLUSHDB") }.close
      end
    end

    private

    def server = @server ||= DurableRedis.running
  end

  class AwayPostgresTest < Raffia::JobsWorkCase
    include ComesBack
    include Postgres
  end

  class AwayMySQLTest < Raffia::JobsWorkCase
    include ComesBack
    include MySQL
  end

  class RefusedTest < Raffia::CLICase
    # Once for each worker, however often it is tried, and once by their supervisor.
    def test_a_store_that_refuses_is_said_once
      if Gem::Specification.find_all_by_name("sqlite3").empty?
        skip "the gem sqlite3 is not installed (bin/setup)"
      end
      script "", "jobs.rb"
      result = raffia("work", "--store", "sqlite:/nowhere/jobs.db")
      assert_equal 1, result.code
      fatal = (result.out + result.err).lines.grep(/FATAL/)
      assert_match(%r{/nowhere/jobs.db: the file cannot be opened}, fatal.first)
      assert_match(/Giving up/, fatal.last)
      assert_equal 2, fatal.size, fatal.join
    end

    def test_what_makes_no_sense_is_said
      script "", "jobs.rb"
      {
        %w[-c 0] => /invalid argument: -c 0: use a whole number from 1 up/,
        %w[-t soon] => /invalid argument: -t soon: use seconds/,
        %w[--memory-limit much] => /use bytes, such as 512m/,
        %w[-q a,x -q b] => /"x" is no weight of a queue/,
        %w[-r nowhere.rb] => /nowhere.rb does not exist/,
        %w[-r .] => /is a folder without config\/environment.rb/,
        %w[--store memory:] => /memory: is the store of one process/,
        %w[--store what:ever] => /"what:ever" is no store/,
        %w[extra] => /extra/,
        %w[--nonsense] => /nonsense/
      }.each do |argv, text|
        ended = raffia("work", *argv)
        assert_equal [2, ""], [ended.code, ended.out], argv.inspect
        assert_match text, ended.err
        assert_equal 1, ended.err.lines.size, ended.err
      end
    end

    # With the place in the program, and without a backtrace through Raffia.
    def test_a_wrong_setting_is_said_in_a_sentence
      script "require 'raffia/jobs'\nRaffia::Jobs.store = 'what:ever'\n", "jobs.rb"
      ended = raffia("work")
      assert_equal 1, ended.code
      assert_match(/loading failed: "what:ever" is no store: .* \(.*jobs\.rb:2\)$/, ended.err)
      assert_operator ended.err.lines.size, :<=, 3, ended.err
      ended = raffia("work", "--processes", "0")
      assert_equal [2, 1], [ended.code, ended.err.lines.size], ended.err
    end

    # Many containers are like this.
    def test_a_folder_with_a_name_beyond_ascii_in_the_locale_c
      if Gem::Specification.find_all_by_name("sqlite3").empty?
        skip "the gem sqlite3 is not installed (bin/setup)"
      end
      @dir = File.join(outside = @dir, "d\u00EFr")
      Dir.mkdir(@dir)
      script "require 'raffia/jobs'\nclass J\n  include Raffia::Job\n  def perform(*) = nil\nend\n",
        "jobs.rb"
      locale = {env: {"LC_ALL" => "C", "LANG" => nil}}
      ended = raffia("jobs", "enqueue", "J", '"\u00FC"', "-r", "./jobs.rb", **locale)
      assert_equal 0, ended.code, ended.err
      ended = raffia("jobs", "list", "queue:default", "-s", "sqlite:raffia.db", **locale)
      assert_match(/J +\["\u00FC"\]/, ended.out, ended.err)
      ended = ruby("-e", "require './jobs'; p J.perform_async.size; puts Raffia::Jobs.store.url",
        **locale)
      assert_match(/\A24\nsqlite:.*d\u00EFr/, ended.out, ended.err)
      ended = raffia("work", "--store", "sqlite:/nowhere/jobs.db", **locale)
      assert_match(/works for jobs\.rb/, ended.out, ended.err)
    ensure
      @dir = outside if outside
    end

    def test_without_a_program
      ended = raffia("work")
      assert_equal 2, ended.code
      assert_match(/there is no jobs.rb here .* and no Rails application/, ended.err)
    end

    def test_a_program_that_does_not_load
      script 'raise "not today"', "jobs.rb"
      ended = raffia("work", "--processes", "0", "--store", "memory:")
      assert_equal 1, ended.code
      assert_match(
        /jobs.rb:1:in ['`]<top \(required\)>': not today \(RuntimeError\)/, ended.err
      )
    end

    def test_a_store_that_refuses_one_process
      script "", "jobs.rb"
      File.write(File.join(@dir, "text.db"), "no database at all\n" * 100)
      ended = raffia("work", "--processes", "0", "--store", "sqlite:text.db")
      assert_equal 1, ended.code, ended.err
      assert_match(/\Araffia: .*text\.db: the file is damaged, or is no SQLite database/,
        ended.err.lines.last)
    end

    def test_help
      ended = raffia("work", "--help")
      assert_equal 0, ended.code
      assert_match(/Usage: raffia work/, ended.out)
      assert_operator ended.out.lines.map(&:size).max, :<=, 81
    end
  end
end
