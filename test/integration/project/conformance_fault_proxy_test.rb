# frozen_string_literal: true

require "test_helper"
require "json"
require "net/http"
require "socket"

# The proxy that stands in for Toxiproxy in other people's suites (script/conformance/ours).
class ConformanceFaultProxyTest < Raffia::TestCase
  PROGRAM = File.expand_path("../../../script/conformance/ours/fault_proxy.rb", __dir__)

  # Behind it is a server that answers a line with the line twice.
  def setup
    @upstream = TCPServer.new("127.0.0.1", 0)
    @echo = Thread.new { loop { serve(@upstream.accept) } }
    @echo.report_on_exception = false
    @control, @listen = Array.new(2) { TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] } }
    @pid = Process.spawn(RbConfig.ruby, "--disable-gems", PROGRAM, "-port", @control.to_s)
    wait_until(30) { answers? }
    ask("POST", "/populate",
      [{name: "echo", listen: ":#{@listen}", upstream: "localhost:#{@upstream.addr[1]}"}])
  end

  def teardown
    Process.kill(:KILL, @pid)
    Process.wait(@pid)
    @echo.kill.join
    @upstream.close
  end

  def answers?
    ask("GET", "/version")
  rescue SystemCallError
    false
  end

  def serve(socket)
    Thread.new do
      while (line = socket.gets)
        socket.write(line.chomp * 2, "\n")
      end
    rescue SystemCallError
      nil
    ensure
      socket.close
    end
  end

  def ask(method, path, body = nil)
    body &&= JSON.generate(body)
    Net::HTTP.start("127.0.0.1", @control) { |http| http.send_request(method, path, body) }
  end

  def fault(type, stream, attributes)
    ask("POST", "/proxies/echo/toxics",
      {type: type, name: "it", stream: stream, attributes: attributes})
    yield
  ensure
    ask("DELETE", "/proxies/echo/toxics/it")
  end

  def connect = TCPSocket.new("127.0.0.1", @listen).tap { |socket| socket.timeout = 10 }

  def echo(socket, line)
    socket.puts(line)
    socket.gets
  end

  def test_lines_go_through_with_and_without_latency
    socket = connect
    assert_equal "aa\n", echo(socket, "a")
    fault("latency", "upstream", latency: 1) { assert_equal "bb\n", echo(socket, "b") }
    assert_equal "cc\n", echo(socket, "c")
    socket.close
  end

  def test_a_connection_that_stalls_is_closed_and_brings_nothing
    socket = connect
    fault("timeout", "downstream", timeout: 10) { assert_nil echo(socket, "a") }
    socket.close
  end

  def test_a_limit_counts_from_where_it_begins
    socket = connect
    assert_equal "#{"a" * 40}\n", echo(socket, "a" * 20)
    fault("limit_data", "downstream", bytes: 8) do
      assert_equal "bbbb\n", echo(socket, "bb")
      assert_equal "ccc", echo(socket, "cccc")
      assert_nil socket.gets
    end
    socket.close
  end

  def test_what_is_down_refuses_and_comes_back
    socket = connect
    assert_equal "aa\n", echo(socket, "a") # it is accepted
    ask("POST", "/proxies/echo", {enabled: false})
    assert_raises(Errno::ECONNREFUSED) { connect }
    assert_nil socket.gets
    ask("POST", "/proxies/echo", {enabled: true})
    again = connect
    assert_equal "aa\n", echo(again, "a")
    [socket, again].each(&:close)
  end

  def test_what_it_does_not_have_is_not_found
    assert_equal "404", ask("DELETE", "/proxies/other/toxics/it").code
  end
end
