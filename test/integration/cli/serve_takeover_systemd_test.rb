# frozen_string_literal: true

require_relative "serve_takeover_case"

module Raffia
  # A takeover under systemd, whose place the test takes: it reads the datagrams, keeps descriptors,
  # and hands them back.
  class CLIServeTakeoverSystemdTest < CLIServeTakeoverCase
    # systemd's side of NOTIFY_SOCKET.
    class Manager
      attr_reader :messages, :stored

      def initialize(path)
        @socket = Socket.new(:UNIX, :DGRAM)
        @socket.bind(Addrinfo.unix(path))
        @messages = []
        @stored = {}
      end

      # @return [Boolean] whether a message with all these lines has come
      def heard?(*lines)
        read while @socket.wait_readable(0)
        @messages.any? { |message| (lines - message).empty? }
      end

      def close = [@socket, *@stored.values].each(&:close)

      private

      def read
        text, _, _, *rights = @socket.recvmsg(scm_rights: true)
        @messages << (lines = text.split("\n"))
        name = lines.find { |line| line.start_with?("FDNAME=") }&.delete_prefix("FDNAME=")
        @stored.delete(name)&.close if lines.include?("FDSTOREREMOVE=1")
        @stored[name] = rights.first.unix_rights.first if lines.include?("FDSTORE=1")
      end
    end

    def setup
      super
      @manager = Manager.new("#{@dir}/notify")
      @env = {"NOTIFY_SOCKET" => "#{@dir}/notify"}
    end

    def teardown
      @manager.close
      super
    end

    def test_the_main_process_changes_and_the_service_never_stops
      old_server(env: @env) do |old|
        await_message("READY=1", "MAINPID=#{old.pid}")
        wait_until(PROCESS_PATIENCE) { @manager.heard? && @manager.stored.size == 3 }
        successor(env: @env) do |new|
          await_takeover(old, new)
          await_message("RELOADING=1", "STATUS=process #{new.pid} takes over")
          await_message("READY=1", "MAINPID=#{new.pid}", "STATUS=2 workers")
          refute @manager.heard?("STOPPING=1"), @manager.messages.inspect
          assert_equal names, @manager.stored.keys.sort
          new.kill(:TERM)
          new.ended
          assert @manager.heard?("STOPPING=1")
        end
      end
    end

    def test_the_main_process_stays_when_a_takeover_fails
      old_server(env: @env) do |old|
        script "require 'no_such_gem'", "config.ru"
        successor(env: @env) { |new| await_failure(old, new, /gave up/) }
        await_message("READY=1", "MAINPID=#{old.pid}", /\ASTATUS=a takeover failed: /)
      end
    end

    # Clients wait in the queues of the sockets that systemd keeps.
    def test_sockets_outlive_a_supervisor_that_is_killed
      waiting = nil
      old_server(env: @env) do |old|
        wait_until(PROCESS_PATIENCE) { @manager.heard? && @manager.stored.size == 3 }
        pids = workers(old)
        old.kill(:KILL)
        old.ended
        wait_until(PROCESS_PATIENCE) { pids.none? { |pid| alive?(pid) } }
        waiting = Array.new(8) { Thread.new { Net::HTTP.get("127.0.0.1", "/", @port) } }
        wait_until(PROCESS_PATIENCE) { waiting.all? { |thread| thread.status == "sleep" } }
      end
      restarted do |server|
        assert_equal [server.pid.to_s], waiting.map(&:value).uniq
        assert_served_by(server)
        wait_until(PROCESS_PATIENCE) { @manager.heard?("READY=1", "MAINPID=#{server.pid}") }
        assert_equal names, @manager.stored.keys.sort
      end
    end

    private

    def names
      ["raffia-control-0-0-unix%3A//#{@dir}/ctl",
        *[0, 1].map { |unit| "raffia-serve-#{unit}-0-tcp%3A//127.0.0.1%3A#{@port}" }]
    end

    def await_message(*lines)
      wait_until(PROCESS_PATIENCE, "no #{lines} came") do
        @manager.heard? || true
        @manager.messages.any? { |message|
          lines.all? { |line| message.any? { |one| line === one } }
        }
      end
    end

    # Starts the server with the stored sockets, as systemd does.
    def restarted
      numbers = @manager.stored.values.each_with_index.to_h { |io, index| [3 + index, io] }
      env = {**@env, "LISTEN_FDS" => numbers.size.to_s,
                     "LISTEN_FDNAMES" => @manager.stored.keys.join(":")}
      (out, out_end), (err, err_end) = IO.pipe, IO.pipe
      pid = spawn(clean(env), "sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", RbConfig.ruby,
        "-W:no-experimental", "-I", File.join(ROOT, "lib"), EXECUTABLE, "serve", "--json", *flags,
        chdir: @dir, in: File::NULL, out: out_end, err: err_end, **numbers)
      [out_end, err_end].each(&:close)
      server = Running.new(pid, out, err)
      yield server
    ensure
      server&.finish
    end

    def workers(server)
      File.read("/proc/#{server.pid}/task/#{server.pid}/children").split.map(&:to_i)
    end

    def alive?(pid)
      !File.read("/proc/#{pid}/stat").include?(") Z ")
    rescue SystemCallError
      false
    end
  end
end
