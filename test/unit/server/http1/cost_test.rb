# frozen_string_literal: true

require_relative "http1_case"
require "objspace"

# Costs of a request, in counts that are the same on every machine. The collector does no harm.
class Http1CostTest < Raffia::TestCase
  include HTTP1Case

  # Sent by curl.
  SHORT = "GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: curl/8\r\nAccept: */*\r\n\r\n"
  # Sent by a browser.
  LONG_HEAD = "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\n#{%w[
    Connection Cache-Control Sec-CH-UA Sec-CH-UA-Mobile Sec-CH-UA-Platform
    Upgrade-Insecure-Requests User-Agent Accept Sec-Fetch-Site
    Sec-Fetch-Mode Sec-Fetch-User Sec-Fetch-Dest Accept-Encoding Accept-Language
  ].map { |name| "#{name}: a\r\n" }.join}\r\n".freeze

  # @return [Integer] objects that are made per request
  def objects_for(bytes)
    20.times { receive(bytes) }
    GC.disable
    @client << bytes * 100
    before = GC.stat(:total_allocated_objects)
    100.times { @http1.receive(nil, nil) }
    (GC.stat(:total_allocated_objects) - before) / 100
  ensure
    GC.enable
  end

  # The env, PATH_INFO, REQUEST_URI, and a String for each field but Host.
  def test_objects_of_a_request
    assert_equal 5, objects_for(SHORT)
    # QUERY_STRING, too.
    assert_equal 4 + 14, objects_for(LONG_HEAD)
  end

  # A browser's has room for the entries of middleware besides.
  def test_the_table_of_an_env_is_small_for_a_request_with_few_fields
    short, long = [SHORT, LONG_HEAD].map { |bytes| receive(bytes) }
    assert_operator ObjectSpace.memsize_of(short), :<=, 1024
    assert_operator ObjectSpace.memsize_of(long), :>, 1024
    assert_equal "curl/8", short["HTTP_USER_AGENT"]
    assert_equal "a", long["HTTP_ACCEPT_LANGUAGE"]
    full = receive(SHORT)
    100.times { |number| full["key #{number}"] = number }
    assert_equal %w[example.org curl/8 */*],
      full.values_at("HTTP_HOST", "HTTP_USER_AGENT", "HTTP_ACCEPT")
  end

  def test_objects_of_a_body
    bytes = "#{POST}Content-Length: 5\r\n\r\nhello"
    receive(bytes)
    @http1.read_body
    GC.disable
    @client << bytes * 100
    before = GC.stat(:total_allocated_objects)
    100.times { @http1.receive(nil, nil) && @http1.read_body }
    # The same with Content-Length and the body.
    assert_equal 5, (GC.stat(:total_allocated_objects) - before) / 100
  ensure
    GC.enable
  end

  # Ten thousand connections that do nothing are to be as good as free.
  def test_an_idle_connection_has_no_buffers
    fresh = ObjectSpace.memsize_of(http1)
    receive(SHORT)
    assert_equal fresh, ObjectSpace.memsize_of(@http1)
    assert_operator fresh, :<=, 1024
  end

  def test_partial_input_is_kept_and_given_back
    fresh = ObjectSpace.memsize_of(@http1)
    @client << "GET / HTTP"
    assert_status(408) { @http1.receive(LONG, 0) }
    assert_operator ObjectSpace.memsize_of(@http1), :>, fresh
    @http1 = http1
    receive(SHORT + "GET")
    assert_operator ObjectSpace.memsize_of(@http1), :>, fresh
    receive(SHORT.delete_prefix("GET"))
    assert_equal fresh, ObjectSpace.memsize_of(@http1)
  end

  def test_one_system_call_for_a_request
    skip "strace is not installed" unless system("strace", "-V", out: File::NULL, err: File::NULL)
    calls = IO.popen(["strace", "-f", "-qq", "-c", "-e", "trace=recvfrom", "-o", "/dev/stdout",
      RbConfig.ruby, "-W0", "-Ilib", "-e", <<~RUBY], &:read)
        require "socket"
        require "raffia"
        client, socket = UNIXSocket.pair
        http1 = Raffia::Native::HTTP1.new(socket, {})
        Raffia.run do |scope|
          request = "GET / HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n"
          scope.spawn { 500.times { client.write(request) && sleep(0) } }
          500.times { http1.receive(nil, nil) }
        end
      RUBY
    assert_equal "500", calls[/.*recvfrom$/].split[3], calls
  end

  # Sixteen kilobytes at a time into shared memory would be four times as many.
  def test_a_long_body_comes_in_large_pieces
    @socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_RCVBUF, 1 << 20)
    @client.setsockopt(Socket::SOL_SOCKET, Socket::SO_SNDBUF, 1 << 20)
    @client << "#{POST}Content-Length: 150000\r\n\r\n" << "x" * 65_536 << "y" * 84_464
    @http1.receive(LONG, LONG)
    pieces = []
    while (piece = @http1.read_body(65_536, LONG))
      pieces << piece
    end
    assert_equal "x" * 65_536 + "y" * 84_464, pieces.join
    assert_operator pieces.size, :<=, 5
    assert_equal 150_000 + "#{POST}Content-Length: 150000\r\n\r\n".bytesize, @http1.received
  end

  def test_under_a_stressed_collector
    @client << SHORT << CHUNKED << "2\r\nhi\r\n0\r\nA: b\r\n\r\n"
    GC.stress = true
    first = @http1.receive(nil, nil)
    second = @http1.receive(nil, nil)
    found = [@http1.read_body, @http1.read_body, @http1.trailers]
    GC.stress = false
    assert_equal ["hi", nil, {"a" => "b"}], found
    assert_equal %w[/ curl/8 example.org],
      first.values_at("PATH_INFO", "HTTP_USER_AGENT", "HTTP_HOST")
    assert_equal %w[POST chunked h], second.values_at("REQUEST_METHOD", "HTTP_TRANSFER_ENCODING",
      "SERVER_NAME")
  ensure
    GC.stress = false
  end

  def test_objects_that_move
    receive("GET / HTTP/1.1\r\nHost: moving.example.org:81\r\nX-Moves: 1\r\n\r\n")
    receive("#{CHUNKED}0\r\nA: b\r\n\r\n")
    body
    begin
      GC.verify_compaction_references(expand_heap: true, toward: :empty)
    rescue NotImplementedError
      skip "this Ruby does not compact"
    end
    assert_equal({"a" => "b"}, @http1.trailers)
    env = receive("GET / HTTP/1.1\r\nHost: moving.example.org:81\r\nX-Moves: 1\r\n\r\n")
    assert_equal %w[moving.example.org:81 moving.example.org 81 1],
      env.values_at("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "HTTP_X_MOVES")
  end

  def test_in_ractors
    need_ractors
    found = output_of(<<~RUBY)
      require "socket"
      require "raffia"
      ractors = Array.new(4) do |number|
        Ractor.new(number) do |number|
          client, socket = UNIXSocket.pair
          template = Raffia::Native::HTTP1.template({"number" => number})
          http1 = Raffia::Native::HTTP1.new(socket, template)
          keys = nil
          2000.times do |i|
            client << "GET /\#{i} HTTP/1.1\\r\\nHost: h\#{i % 3}\\r\\n" \
              "X-Own-\#{i % 50}: \#{number}\\r\\nAccept: a\\r\\n\\r\\n"
            env = http1.receive(nil, nil)
            good = env["number"] == number && env["PATH_INFO"] == "/\#{i}" &&
              env["HTTP_X_OWN_\#{i % 50}"] == number.to_s && env["SERVER_NAME"] == "h\#{i % 3}"
            raise env.inspect unless good
            keys = env.keys
          end
          keys
        end
      end
      p ractors.map { |ractor| ractor.respond_to?(:value) ? ractor.value : ractor.take }.uniq.size
    RUBY
    assert_equal "1\n", found
  end

  def test_invalid_arguments
    assert_raises(TypeError) do
      Raffia::Native::HTTP1.instance_method(:receive).bind_call(Object.new, 1, 1)
    end
    assert_raises(TypeError) { Raffia::Native::HTTP1.new(@socket, 1) }
    assert_raises(TypeError) { Raffia::Native::HTTP1.new(@socket, {}, 1) }
    assert_raises(ArgumentError) { @http1.receive }
  end

  def test_limits
    [{request_line: 20}, {head: 30}, {fields: 0},
      {name: 3}].zip([414, 431, 431, 431]) do |limits, status|
      @http1 = http1(limits)
      assert_status(status) { receive("GET /#{"a" * 20} HTTP/1.1\r\nHost: h\r\n\r\n") }
    end
    @http1 = http1({request_line: nil, head: nil, fields: nil, name: nil, extensions: nil,
      trailers: nil, body: nil})
    env = receive("GET /#{"a" * 40_000} HTTP/1.1\r\nHost: h\r\n#{"n" * 1024}: " \
      "1\r\n#{"A: 1\r\n" * 200}\r\n")
    assert_equal [40_001, (["1"] * 200).join(", ")], [env["PATH_INFO"].bytesize, env["HTTP_A"]]
    assert_status(431) { receive("GET / HTTP/1.1\r\nHost: h\r\n#{"A: 1\r\n" * 256}\r\n") }
  end
end
