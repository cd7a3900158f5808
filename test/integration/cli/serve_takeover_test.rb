# frozen_string_literal: true

require_relative "serve_takeover_case"

module Raffia
  # `raffia serve --takeover` and USR2: a new server takes the place of an old one under load.
  class CLIServeTakeoverTest < CLIServeTakeoverCase
    def test_a_new_server_takes_over_under_load
      old_server do |old|
        successor do |new|
          under_load { await_takeover(old, new) }
          assert_served_by(new)
          new.kill(:TERM)
          assert_equal 0, new.ended.exitstatus, new.err
          assert_path_exists @dir
          %w[pid ctl].each { |file| refute_path_exists "#{@dir}/#{file}" }
        end
      end
    end

    def test_usr2_starts_the_successor_which_is_the_next_old_one
      old_server(pgroup: true) do |old|
        second = nil
        under_load do
          first = upgrade(old.pid)
          second = upgrade(first)
          wait_until(PROCESS_PATIENCE) { gone?(first) }
        end
        assert_equal [::Process.getpriority(::Process::PRIO_PROCESS, 0)], priorities(second)
        ::Process.kill(:TERM, second)
        assert_equal 0, old.ended.exitstatus, old.err
        wait_until(PROCESS_PATIENCE) { !File.exist?("#{@dir}/pid") }
      ensure
        kill_group(old.pid)
      end
    end

    def test_unix_sockets_keep_their_file_and_metrics_their_port
      path = "#{@dir}/app.sock"
      metrics = TestSupport::Daemon.free_port
      more = ["-b", "unix://#{path}", "--metrics", "tcp://127.0.0.1:#{metrics}"]
      old_server(*more) do |old|
        inode = File.stat(path).ino
        successor(*more) do |new|
          under_load(path) { await_takeover(old, new) }
          assert_equal inode, File.stat(path).ino
          assert_match(/^raffia_workers_ready 2$/, Net::HTTP.get("127.0.0.1", "/metrics", metrics))
          new.kill(:TERM)
          new.ended
          refute_path_exists path
        end
      end
    end

    def test_other_addresses_and_more_and_fewer_workers
      other = TestSupport::Daemon.free_port
      old_server("-b", "tcp://127.0.0.1:#{other}") do |old|
        third = TestSupport::Daemon.free_port
        successor("-b", "tcp://127.0.0.1:#{third}", "--processes", "3") do |new|
          under_load do
            await_takeover(old, new)
            wait_until(PROCESS_PATIENCE) { workers(new).size == 3 }
          end
          assert_served_by(new, port: third)
          assert refused?(other)
          successor("--processes", "1") do |newest|
            under_load do
              await_takeover(new, newest)
              wait_until(PROCESS_PATIENCE) { workers(newest).size == 1 }
            end
            assert_served_by(newest)
          end
        end
      end
    end

    def test_a_second_takeover_is_refused
      old_server do |old|
        slow = successor(env: {"SLOW" => "1"}) do |new|
          await(old, "takes over")
          successor do |second|
            assert_equal 1, second.ended.exitstatus
            assert_match(/refuses: another takeover is under way \(process #{new.pid}\)/,
              second.err)
          end
        end
        refute_nil slow
        await(old, "THE TAKEOVER HAS FAILED")
        assert_served_by(old)
      end
    end

    def test_a_takeover_during_a_restart_is_refused
      script "sleep(0.01) while File.exist?('slow')\n#{PIDS}", "config.ru"
      old_server do |old|
        script "", "slow"
        old.kill(:HUP)
        await(old, "restarting")
        successor do |new|
          assert_equal 1, new.ended.exitstatus
          assert_match(/refuses: the server restarts its workers just now/, new.err)
        end
        File.unlink(File.join(@dir, "slow"))
        await(old, "restarted: generation 2")
        successor { |new| await_takeover(old, new) }
      end
    end

    def test_without_an_old_server_it_starts_as_usual
      successor do |new|
        await(new, "are ready")
        assert_match(/no server listens on #{@dir}\/ctl: this one starts/, new.err)
        assert_served_by(new)
      end
    end

    def test_what_cannot_take_over
      out = start(EXECUTABLE, "serve", *flags("--processes", "0"), "--takeover")
      assert_equal 2, out.ended.exitstatus
      assert_match(/takeover needs worker processes/, out.err)
      out = start(EXECUTABLE, "serve", *flags("--control", "off"), "--takeover")
      assert_equal 1, out.ended.exitstatus
      assert_match(/control names no socket/, out.err)
    end

    def test_restarts_wait_until_a_takeover_has_failed
      old_server do |old|
        successor(env: {"SLOW" => "1"}) do |new|
          await(old, "takes over")
          old.kill(:HUP)
          old.kill(:TTIN)
          new.kill(:KILL)
        end
        await(old, "restarted: generation 2")
        wait_until(PROCESS_PATIENCE) { workers(old).size == 3 }
        assert_operator old.err.index("THE TAKEOVER HAS FAILED"), :<, old.err.index("restarting")
      end
    end

    private

    def setup
      super
      script "sleep if ENV['SLOW']\n#{PIDS}", "config.ru"
    end

    # @return [Integer] pid of the new server, which has taken over
    def upgrade(pid)
      ::Process.kill(:USR2, pid)
      wait_until(PROCESS_PATIENCE) do
        new = File.read("#{@dir}/pid").to_i
        new if new != pid && new.positive?
      end
    end

    # @return [Array<Integer>] of all threads of a server
    def priorities(pid)
      children = Dir.glob("/proc/#{pid}/task/*/children").flat_map { |file| File.read(file).split }
      [pid, *children].flat_map { |one| Dir.children("/proc/#{one}/task") }
        .map { |thread| ::Process.getpriority(::Process::PRIO_PROCESS, thread.to_i) }.uniq
    end

    def workers(server)
      File.read("/proc/#{server.pid}/task/#{server.pid}/children").split
        .select { |pid| File.read("/proc/#{pid}/cmdline").include?(": worker") }
    rescue Errno::ENOENT
      []
    end

    def kill_group(pid)
      ::Process.kill(:KILL, -pid)
    rescue Errno::ESRCH
      nil
    end

    def gone?(pid)
      ::Process.kill(0, pid)
      File.read("/proc/#{pid}/stat").include?(") Z ")
    rescue Errno::ESRCH, Errno::ENOENT
      true
    end
  end
end
