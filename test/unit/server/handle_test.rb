# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "net/http"
require "stringio"
require "tmpdir"

module Raffia
  # A server in a thread of a program.
  class ServerHandleTest < TestCase
    HELLO = ->(env) { [200, {"content-type" => "text/plain"}, ["hello #{env["PATH_INFO"]}"]] }

    def test_it_serves_until_it_is_stopped
      handle = Server.start(HELLO)
      assert_match(%r{\Ahttp://127\.0\.0\.1:\d+\z}, handle.url)
      assert_equal "hello /there", get("#{handle.url}/there")
      assert_equal [handle.port], handle.listeners.map(&:port)
      handle.stop
      assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", handle.port) }
      handle.stop
      handle.wait
    end

    def test_for_the_time_of_a_block
      port = nil
      value = Server.start(HELLO) do |handle|
        port = handle.port
        get(handle.url)
      end
      assert_equal "hello /", value
      assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port) }
    end

    def test_host_and_port
      port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
      Server.start(HELLO, port: port) { |handle| assert_equal port, handle.port }
      Server.start(HELLO, host: "127.0.0.2") do |handle|
        assert_match(/127\.0\.0\.2:\d+\z/, handle.url)
      end
      Server.start(HELLO, host: "127.0.0.1", port: port, processes: 0) do |handle|
        assert_equal "http://127.0.0.1:#{port}", handle.url
      end
    end

    def test_worker_processes_are_refused
      [3, "auto"].each do |number|
        assert_refused("Server.start serves in this process, without worker processes " \
          "(processes: #{number.inspect}): use Server.new(app, ...).run") do
          Server.start(HELLO, processes: number)
        end
      end
    end

    def test_two_at_once
      Server.start(->(_) { [200, {}, ["one"]] }) do |one|
        Server.start(->(_) { [200, {}, ["two"]] }) do |two|
          assert_equal %w[one two one], [one, two, one].map { |handle| get(handle.url) }
        end
      end
    end

    def test_a_unix_socket
      Dir.mktmpdir do |dir|
        Server.start(HELLO, bind: "unix://#{dir}/a.sock") do |handle|
          assert_equal ["unix://#{dir}/a.sock", nil], [handle.url, handle.port]
          socket = UNIXSocket.new("#{dir}/a.sock")
          socket.write("GET /unix HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
          assert_match(%r{\AHTTP/1\.1 200 OK\r\n.*\r\n\r\nhello /unix\z}m, socket.read)
          socket.close
        end
        refute_path_exists "#{dir}/a.sock"
      end
    end

    def test_requests_in_flight_are_answered_before_it_ends
      begun = Thread::Queue.new
      go_on = Thread::Queue.new
      app = lambda do |_|
        begun << true
        go_on.pop
        [200, {}, ["late"]]
      end
      handle = Server.start(app)
      answer = Thread.new { get(handle.url) }
      begun.pop
      stopping = Thread.new { handle.stop }
      wait_until { refused?(handle.port) }
      go_on << true
      assert_equal "late", answer.value
      stopping.join
    end

    def test_on_error_gets_what_the_application_raises
      hooks = Server::Hooks.new
      told = Thread::Queue.new
      hooks.add(:on_error) { |error, env| told << [error.message, env["PATH_INFO"]] }
      hooks.add(:on_error) { raise "of its own" }
      log = StringIO.new
      Server.start(->(_) { raise "boom" }, hooks: hooks,
        logger: Log.build(Config.load({}), out: log)) do |handle|
        assert_equal "500", Net::HTTP.get_response(URI("#{handle.url}/x")).code
        assert_equal ["boom", "/x"], told.pop
      end
      assert_match(/the hook on_error failed: .*of its own/, log.string)
    end

    def test_invalid_arguments
      assert_refused(/has a method `call`/) { Server.start("no app") }
      assert_refused(/there is no option prot: did you mean port\?/) do
        Server.start(HELLO, prot: 1)
      end
      assert_raises(Server::CannotListen) { Server.start(HELLO, bind: "tcp://192.0.2.1:0") }
    end

    private

    def get(url) = Net::HTTP.get(URI(url))
  end
end
