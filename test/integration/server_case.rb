# frozen_string_literal: true

require "test_helper"
require "net/http"
require "socket"
require "raffia/server"
require "support/daemon"

# The parent of the tests of the server with real things around it: each test skips what is not installed, and says how to get it.
class ServerCase < Raffia::TestCase
  ROOT = File.expand_path("../..", __dir__)
  PROGRAM = <<~RUBY
    require "raffia/server"
    app = eval("proc { \#{File.read("app.rb")} }", TOPLEVEL_BINDING, "app.rb").call
    exit Raffia::Server.new(app, **Marshal.load(ARGV.first.unpack1("m"))).run
  RUBY
  HELLO = ->(_env) { [200, {"content-type" => "text/plain"}, ["hello"]] }

  private

  # @yieldparam server [Raffia::Server::Handle] in a thread of this process
  def serve(app, **options, &) = Raffia::Server.start(app, **options, &)

  # @param app [String] Ruby whose value is the app
  # @yieldparam port [Integer] of a server in a process of its own
  # @yieldparam daemon [TestSupport::Daemon]
  def program(app, port: TestSupport::Daemon.free_port, env: {}, **options)
    options = {bind: "tcp://127.0.0.1:#{port}", processes: 0}.merge(options)
    TestSupport::Daemon.run({"RUBYOPT" => "-W:no-experimental"}.merge(env), RbConfig.ruby, "-I#{ROOT}/lib", "-e", PROGRAM,
      [Marshal.dump(options)].pack("m0"), port: port, files: {"app.rb" => app}) { |daemon| yield port, daemon }
  end

  def connect(server) = TCPSocket.new("127.0.0.1", server.is_a?(Integer) ? server : server.port)

  # @return [Array(Integer, Hash, String)] what the server sends until it closes: status, headers, body as it is on the wire
  def raw(server, bytes)
    socket = connect(server)
    socket.write(bytes)
    text = socket.read
    head, body = text.split("\r\n\r\n", 2)
    lines = head.to_s.lines(chomp: true)
    [lines.first.to_s[/\AHTTP\/1\.\d (\d+)/, 1].to_i, lines.drop(1).to_h { |line| line.downcase.split(": ", 2) }, body]
  ensure
    socket&.close
  end

  def need_program(name)
    TestSupport::Daemon.find(name)
  rescue TestSupport::Daemon::Missing => error
    skip error.message
  end

  def need_gem(*names)
    names.each do |name|
      skip "the gem #{name} is not installed (bin/setup --server)" if Gem::Specification.find_all_by_name(name).empty?
      gem name
    end
  end
end
