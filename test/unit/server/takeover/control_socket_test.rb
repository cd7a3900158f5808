# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/server"

# The socket at which a server is asked to give up its sockets: its file, and who may use it.
class TakeoverControlSocketTest < Raffia::TestCase
  ControlSocket = Raffia::Server::Takeover::ControlSocket
  NOBODY = 65_534

  def setup
    super
    @folder = Dir.mktmpdir("raffia-control-")
    @path = "#{@folder}/ctl"
    @opened = []
  end

  def teardown
    @opened.each(&:close)
    FileUtils.remove_entry(@folder)
    super
  end

  def test_only_its_user_may_connect
    open
    assert_equal 0o600, File.stat(@path).mode & 0o777
  end

  def test_a_client_of_the_same_user
    control = open
    client = ControlSocket.ask(@path)
    channel, trusted = control.accept
    assert trusted
    channel.send(:refused, nil)
    assert_equal "refused", client.receive.first
    assert_nil control.accept
  ensure
    [client, channel].compact.each(&:close)
  end

  def test_a_client_of_another_user
    be_careless
    control = open
    File.chmod(0o777, @path)
    client = as(NOBODY) { ControlSocket.ask(@path) }
    channel, trusted = control.accept
    refute trusted
    File.chmod(0o600, @path)
    assert_match(/no server can be asked at .*Permission denied/,
      refused { as(NOBODY) { ControlSocket.ask(@path) } })
  ensure
    [client, channel].compact.each(&:close)
  end

  def test_a_server_of_another_user
    be_careless
    as(NOBODY) { open }
    File.chmod(0o777, @path)
    assert_match(/is of user 65534/, refused { as(NOBODY - 1) { ControlSocket.ask(@path) } })
    ControlSocket.ask(@path).close # root may
  end

  def test_the_file_of_a_server_that_was_killed_is_replaced
    left = Socket.new(:UNIX, :SEQPACKET)
    left.bind(Addrinfo.unix(@path))
    left.close
    assert_nil ControlSocket.ask(@path)
    control = open
    ControlSocket.ask(@path).close
    control.close
    refute_path_exists @path
  end

  def test_a_file_that_is_no_socket_stays
    File.write(@path, "letters")
    assert_match(/cannot listen on control #{@path}: Address already in use/, refused { open })
    assert_equal "letters", File.read(@path)
  end

  def test_a_socket_of_another_kind
    server = UNIXServer.new(@path)
    assert_match(/no server can be asked at #{@path}: Protocol wrong type/,
      refused { ControlSocket.ask(@path) })
    assert_match(/Protocol wrong type/, refused { open })
    assert File.socket?(@path)
  ensure
    server&.close
  end

  # Both find the file of a server that was killed.
  def test_of_servers_that_start_together_one_has_it
    20.times do
      File.unlink(@path) if File.exist?(@path)
      Socket.new(:UNIX, :SEQPACKET).tap { |left| left.bind(Addrinfo.unix(@path)) }.close
      results = Array.new(3) { Thread.new { open rescue $! } }.map(&:value) # standard:disable Style/RescueModifier
      assert_equal 1, results.grep(ControlSocket).size, results.inspect
      ControlSocket.ask(@path).close
      @opened.shift.close
    end
  end

  private

  def open
    options = Raffia::Server::Options.build({control: "unix://#{@path}"})
    ControlSocket.open(options, Raffia::Server::Listen::SocketSet.new).tap { |control| @opened << control }
  end

  def refused(&) = assert_raises(Raffia::Server::CannotListen, &).message

  # Others may use the folder and the file.
  def be_careless
    skip "only root can be somebody else" unless ::Process.uid.zero?

    File.chmod(0o777, @folder)
  end

  def as(user)
    ::Process::UID.eid = user
    yield
  ensure
    ::Process::UID.eid = 0
  end
end
