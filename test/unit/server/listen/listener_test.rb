# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "tmpdir"

module Raffia
  # Where a server listens, over real sockets.
  class ServerListenerTest < TestCase
    def setup
      super
      @dir = Dir.mktmpdir("raffia-test-")
      @open = []
    end

    def teardown
      @open.each(&:close)
      FileUtils.remove_entry(@dir)
      super
    end

    def test_any_free_port
      listener = listen("tcp://127.0.0.1:0").first.first
      assert_operator listener.port, :>, 0
      assert_equal "http://127.0.0.1:#{listener.port}", listener.url
      assert_accepts listener, TCPSocket.new("127.0.0.1", listener.port)
    end

    def test_accepted_sockets_send_small_pieces_at_once
      listener = listen("tcp://127.0.0.1:0").first.first
      client = TCPSocket.new("127.0.0.1", listener.port)
      accepted = accept(listener)
      assert_predicate accepted.getsockopt(:TCP, :NODELAY), :bool
    ensure
      [client, accepted].each { |socket| socket&.close }
    end

    def test_everywhere_is_both_families
      listener = listen("tcp://[::]:0").first.first
      assert_accepts listener, TCPSocket.new("127.0.0.1", listener.port)
      skip "no IPv6 here" if listener.host == "0.0.0.0"
      assert_accepts listener, TCPSocket.new("::1", listener.port)
    end

    def test_localhost_is_both_families_with_one_port
      listeners = listen("tcp://localhost:0").first
      assert_equal 1, listeners.map(&:port).uniq.size
      listeners.each do |listener|
        assert_accepts listener, TCPSocket.new(listener.host, listener.port)
      end
    end

    def test_each_worker_has_sockets_of_its_own_for_ever
      listening = listen("tcp://127.0.0.1:0", "unix://#{@dir}/a.sock", processes: 3)
      slots = Array.new(3) { |index| listening.slot(index) }
      assert_equal 1, slots.map { |slot| slot.first.port }.uniq.size
      assert_equal 3, slots.map { |slot| slot.first.socket.fileno }.uniq.size
      assert_equal 1, slots.map { |slot| slot.last.socket.fileno }.uniq.size
      assert_same slots[1], listening.slot(1)
    end

    def test_all_sockets_of_a_port_get_connections
      slots = listen("tcp://127.0.0.1:0", processes: 2)
        .then { |listening| [listening.slot(0), listening.slot(1)] }.flatten
      clients = Array.new(64) { TCPSocket.new("127.0.0.1", slots.first.port) }
      counts = slots.map { |listener| accept_all(listener) }
      assert_equal 64, counts.sum
      assert counts.all?(&:positive?), counts.inspect
    ensure
      clients.each(&:close)
    end

    def test_one_socket_for_all_when_that_is_wanted
      listening = listen("tcp://127.0.0.1:0", processes: 2, reuse_port: false)
      assert_same listening.slot(0).first, listening.slot(1).first
    end

    [1, 2].each do |processes|
      define_method(:"test_a_port_in_use_with_#{processes}_processes") do
        port = listen("tcp://127.0.0.1:0", processes: processes).first.first.port
        who =
          Regexp.new("cannot listen on tcp://127\\.0\\.0\\.1:#{port}: the port is in use by " \
            ".*ruby.* \\(process #{::Process.pid}\\)")
        assert_cannot(who) { listen("tcp://127.0.0.1:#{port}", processes: processes) }
      end
    end

    def test_addresses_that_are_not_here
      assert_cannot(/this machine does not have the address/) { listen("tcp://192.0.2.1:0") }
      assert_cannot(%r{cannot listen on tcp://no-such-host\.invalid:0: }) do
        listen("tcp://no-such-host.invalid:0")
      end
    end

    def test_nothing_is_held_when_one_of_several_cannot_be_had
      assert_cannot(/./) { listen("unix://#{@dir}/a.sock", "tcp://192.0.2.1:0") }
      refute_path_exists File.join(@dir, "a.sock")
    end

    def test_a_unix_socket_and_its_mode
      listener = listen("unix://#{@dir}/a.sock?mode=0660").first.first
      assert_equal 0o660, File.stat("#{@dir}/a.sock").mode & 0o777
      assert_equal ["unix://#{@dir}/a.sock", nil], [listener.url, listener.port]
      assert_accepts listener, UNIXSocket.new("#{@dir}/a.sock")
      listener.close
      refute_path_exists "#{@dir}/a.sock"
      listen("unix://#{@dir}/b.sock?umask=0177")
      assert_equal 0o600, File.stat("#{@dir}/b.sock").mode & 0o777
    end

    def test_a_mode_that_is_none
      assert_refused(/mode 888 is no octal number such as 0660/) do
        listen("unix://#{@dir}/a.sock?mode=888")
      end
    end

    def test_a_unix_socket_that_a_dead_server_left_is_replaced
      UNIXServer.new("#{@dir}/a.sock").close
      assert_path_exists "#{@dir}/a.sock"
      assert_accepts listen("unix://#{@dir}/a.sock").first.first, UNIXSocket.new("#{@dir}/a.sock")
    end

    def test_one_that_is_answered_and_one_that_is_no_socket_are_not
      listen("unix://#{@dir}/a.sock")
      assert_cannot(/a server answers there already/) { listen("unix://#{@dir}/a.sock") }
      File.write("#{@dir}/file", "precious")
      assert_cannot(/it is no socket/) { listen("unix://#{@dir}/file") }
      assert_equal "precious", File.read("#{@dir}/file")
    end

    def test_one_that_is_too_busy_to_answer_is_there_as_well
      UNIXServer.open("#{@dir}/a.sock") do |server|
        server.listen(0)
        waiting = UNIXSocket.new("#{@dir}/a.sock")
        assert_cannot(/a server answers there already/) { listen("unix://#{@dir}/a.sock") }
        waiting.close
      end
    end

    def test_the_file_is_removed_from_wherever_the_application_has_gone
      Dir.chdir(@dir) do
        listening = listen("unix://a.sock")
        Dir.chdir("/") { listening.close }
        refute_path_exists "a.sock"
      end
    end

    def test_the_socket_of_a_later_server_is_not_removed
      old = listen("unix://#{@dir}/a.sock")
      File.unlink("#{@dir}/a.sock")
      listen("unix://#{@dir}/a.sock")
      old.close
      assert_path_exists "#{@dir}/a.sock"
    end

    def test_a_forked_child_does_not_remove_it
      need_fork
      listener = listen("unix://#{@dir}/a.sock").first.first
      ::Process.wait(fork { listener.close || exit!(0) })
      assert_path_exists "#{@dir}/a.sock"
    end

    def test_a_socket_by_its_descriptor
      given = TCPServer.new("127.0.0.1", 0)
      listener = listen("fd://#{given.fileno}").first.first
      given.autoclose = false
      assert_equal given.local_address.ip_port, listener.port
      assert_accepts listener, TCPSocket.new("127.0.0.1", listener.port)
    end

    def test_an_inherited_socket_sends_at_once_and_is_not_inherited_further
      given = TCPServer.new("127.0.0.1", 0)
      given.setsockopt(:TCP, :NODELAY, false)
      given.close_on_exec = false
      given.autoclose = false
      listener = listen("fd://#{given.fileno}").first.first
      assert given.getsockopt(:TCP, :NODELAY).bool
      assert_predicate given, :close_on_exec?
      assert_accepts listener, TCPSocket.new("127.0.0.1", listener.port)
    end

    def test_descriptors_that_will_not_do
      file = File.open(__FILE__)
      assert_cannot(/descriptor #{file.fileno} is no socket/) { listen("fd://#{file.fileno}") }
      assert_cannot(/descriptor 999 is no socket/) { listen("fd://999") }
      quiet = ::Socket.new(:INET, :STREAM)
      assert_cannot(/that socket does not listen/) { listen("fd://#{quiet.fileno}") }
    ensure
      file&.close
      quiet&.close
    end

    def test_sockets_of_systemd
      assert_equal 2, listen("systemd:", inherited: handed_in).first.size
      assert_equal 1, listen("systemd:web", inherited: handed_in).first.size
      assert_predicate listen("systemd:other", inherited: handed_in).first.first.port, :nil?
      assert_cannot(/systemd has handed in web, other/) do
        listen("systemd:wbe", inherited: handed_in)
      end
      assert_cannot(/systemd has handed no socket in/) { listen("systemd:web") }
    end

    private

    def handed_in
      web = TCPServer.new("127.0.0.1", 0)
      other = UNIXServer.new("#{@dir}/#{@open.size}.sock")
      [web, other].each { |socket| socket.autoclose = false }
      {web.fileno => "web", other.fileno => "other"}
    end

    def listen(*binds, inherited: {}, **options)
      options = Server::Options.build({processes: 1, bind: binds, **options},
        config: Server::Config.load(Variables.new({})))
      Server::Listen::Listeners.new(options, inherited: inherited)
        .tap { |listening| @open << listening }
    end

    def assert_cannot(message, &)
      assert_match(message, assert_raises(Server::CannotListen, &).message)
    end

    def assert_accepts(listener, client)
      accepted = accept(listener)
      client.write("hello")
      assert_equal "hello", accepted.readpartial(9)
    ensure
      client.close
      accepted&.close
    end

    def accept(listener)
      wait_until do
        listener.socket.accept_nonblock(exception: false)
          .then { |socket| socket unless socket == :wait_readable }
      end
    end

    def accept_all(listener)
      count = 0
      until (socket = listener.socket.accept_nonblock(exception: false)) == :wait_readable
        socket.close
        count += 1
      end
      count
    end
  end
end
