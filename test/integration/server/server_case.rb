# frozen_string_literal: true

require "test_helper"
require "net/http"
require "socket"
require "raffia/server"
require "support/daemon"

# The parent of the tests of the server with real things around it: each test skips what is not
# installed, and says how to get it.
class ServerCase < Raffia::TestCase
  ROOT = File.expand_path("../../..", __dir__)
  HELLO = ->(_env) { [200, {"content-type" => "text/plain"}, ["hello"]] }

  private

  # @yieldparam server [Raffia::Server::Handle] in a thread of this process
  def serve(app, **options, &) = Raffia::Server.start(app, **options, &)

  # `raffia serve`, as a user starts it.
  # @param config [String] a config.ru
  # @param options [Hash] flags; a flag without a value is true
  # @yieldparam port [Integer]
  # @yieldparam daemon [TestSupport::Daemon]
  def program(config, env: {}, files: {}, port: TestSupport::Daemon.free_port, **options)
    options = {bind: "tcp://127.0.0.1:#{port}", processes: 0,
               environment: "production"}.merge(options)
    flags = options.flat_map do |name, value|
      ["--#{name.to_s.tr("_", "-")}", *(value.to_s unless value == true)]
    end
    TestSupport::Daemon.run(RbConfig.ruby, "-W:no-experimental", "-I#{ROOT}/lib",
      "#{ROOT}/exe/raffia", "serve", "config.ru", *flags,
      port: port, files: files.merge("config.ru" => config),
      env: {"RUBYOPT" => nil, "RAFFIA_LOG" => nil}.merge(env)) { |daemon| yield port, daemon }
  end

  def connect(server) = TCPSocket.new("127.0.0.1", server.is_a?(Integer) ? server : server.port)

  # @return [Array(Integer, Hash, String)] what the server sends until it closes: status, headers,
  #   body as it is on the wire
  def raw(server, bytes)
    socket = connect(server)
    socket.write(bytes)
    text = socket.read
    head, body = text.split("\r\n\r\n", 2)
    lines = head.to_s.lines(chomp: true)
    [lines.first.to_s[/\AHTTP\/1\.\d (\d+)/, 1].to_i,
      lines.drop(1).to_h { |line| line.downcase.split(": ", 2) }, body]
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
      if Gem::Specification.find_all_by_name(name).empty?
        skip "the gem #{name} is not installed (bin/setup --server)"
      end
      gem name
    end
  end
end
