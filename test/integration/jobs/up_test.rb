# frozen_string_literal: true

require_relative "work_case"

# `raffia up`: requests and jobs under one supervisor.
class JobsUpTest < Raffia::JobsWorkCase
  APPLICATION = <<~RUBY
    run lambda { |env|
      jid = QuickJob.perform_async(env["PATH_INFO"].delete("/"))
      [200, {"content-type" => "text/plain"}, [jid, " ", Process.pid.to_s]]
    }
  RUBY

  def url = "sqlite:#{File.join(@dir, "jobs.db")}"

  def setup
    super
    script APPLICATION, "config.ru"
  end

  def up(*argv, &)
    serve(*argv, command: [EXECUTABLE, "up", "--json", "--store", url]) do |server|
      @worker = server
      await("no worker is enrolled") { @store.processes.any? }
      yield server
    end
  end

  # @return [Array<Integer>] the pids of who answered, and of who did the job
  def ask(server, word)
    jid, pid = server.get("/#{word}").body.split
    assert_match(/\A\h{24}\z/, jid)
    [pid.to_i, await_said("QuickJob", word).first.last.to_i]
  end

  def test_in_processes_of_their_own
    up("--processes", "1", "--jobs", "2") do |server|
      web, job = ask(server, "one")
      await("there are two workers") { pids.size == 2 }
      assert_includes pids, job
      refute_includes [server.pid, *pids], web
      server.kill(:TSTP)
      await("they are not quiet") { server.err.scan("event=quiet").size == 2 }
      assert_equal "200", server.get("/two").code
      server.kill(:TERM)
      assert_equal 0, server.ended.exitstatus, server.err
    end
    assert_equal 1, @store.counts[:queue]
    assert_empty @store.processes
  end

  # Suspended for longer than a loop may be held up, which is no job's fault.
  def test_ctrl_z_suspends_all_processes_until_they_are_continued
    skip "the states of processes are read from /proc" unless File.exist?("/proc/self/stat")

    port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }
    at_terminal("up", "--store", url, "-p", port.to_s) do |terminal, pid, screen|
      await("it has not begun") { pids.any? && screen.string.include?("http://") }
      terminal.write("\x1A")
      await("not all are suspended") do
        states(pid).then { |found| found.any? && found.uniq == ["T"] }
      end
      enqueue("QuickJob", "after")
      sleep(6.5)
      ::Process.kill(:CONT, -pid)
      await_said("QuickJob", "after")
      await("no answer") do
        Net::HTTP.get_response(URI("http://127.0.0.1:#{port}/served")).code == "200"
      end
      await_said("QuickJob", "served")
      terminal.write("\x03")
      await("it does not end") { states(pid).empty? }
      refute_match(/loop blocked|no heartbeat|lease lost/, screen.string)
    end
  end

  def test_monitoring_sees_requests_and_jobs
    %w[1 0].each do |processes|
      port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }
      up("--processes", processes, "--metrics", "tcp://127.0.0.1:#{port}") do |server|
        ask(server, "job#{processes}")
        stats = nil
        await("its job is not counted") do
          (stats =
             JSON.parse(Net::HTTP.get(URI("http://127.0.0.1:#{port}/stats.json")))).dig("jobs",
               "processed") == 1
        end
        assert_equal [1, @store.url], [stats["requests"]["total"], stats["store"]["store"]]
        text = Net::HTTP.get(URI("http://127.0.0.1:#{port}/metrics"))
        assert_match(/^raffia_jobs_processed_total 1$/, text)
        assert_match(/^raffia_requests_total 1$/, text)
        assert_match(/^raffia_store_writable 1$/, text)
        assert_equal "200", Net::HTTP.get_response(URI("http://127.0.0.1:#{port}/ready")).code
        server.kill(:TERM)
        server.ended
      end
    end
  end

  def test_a_restart_replaces_both
    up("--processes", "1") do |server|
      before = ask(server, "one")
      server.kill(:HUP)
      await("it has not restarted") { server.err.include?("restarted: generation 2") }
      await("the old worker is still there") { !pids.include?(before.last) && pids.any? }
      assert_empty before & ask(server, "two")
    end
  end

  def test_without_preload
    up("--processes", "1", "--no-preload") { |server| ask(server, "one") }
  end

  def test_all_in_one_process
    up("--processes", "0") do |server|
      assert_equal [server.pid] * 2, ask(server, "one")
      server.kill(:TERM)
      assert_equal 0, server.ended.exitstatus, server.err
    end
    assert_empty @store.processes
  end

  def test_check_loads_the_jobs_too
    assert_equal ["", 0], raffia("up", "--check", "--store", url)
      .then { |ended| [ended.err, ended.code] }
    assert_equal 0, raffia("up", "--check", "--processes", "0", "--store", "memory:").code
    script "raise 'no jobs today'", "jobs.rb"
    ended = raffia("up", "--check", "--store", url)
    assert_equal 1, ended.code
    assert_match(/jobs\.rb:1:in .*no jobs today/, ended.err)
    assert_equal 2, raffia("up", "--check", "-r", "nowhere.rb").code
    assert_equal 2, raffia("up", "--check", "--store", "memory:").code
  end

  def test_what_makes_no_sense_is_said
    {%w[--jobs 0] => /use a whole number from 1 up/, %w[--job-timeout x] => /use seconds/,
     %w[-q a,x -q b] => /no weight/,
     %w[--store memory: --processes 1] => /the store of one process/,
     %w[-r nowhere.rb] => /does not exist/}.each do |argv, text|
      ended = raffia("up", "-p", "0", *argv)
      assert_equal 2, ended.code, ended.err
      assert_match text, ended.err
    end
    assert_match(/Usage: raffia up/, raffia("up", "--help").out)
  end
end
