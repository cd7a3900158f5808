# frozen_string_literal: true

require_relative "http1_case"

# Places of a request's parts in its env.
class Http1EnvTest < Raffia::TestCase
  include HTTP1Case

  def test_a_request
    env = receive("GET /a/b?c=d&e HTTP/1.1\r\nHost: example.org:8080\r\nUser-Agent: " \
      "me\r\nX-Some-Thing: 1\r\n\r\n")
    expected = TEMPLATE.merge(
      "REQUEST_METHOD" => "GET", "SERVER_PROTOCOL" => "HTTP/1.1", "PATH_INFO" => "/a/b",
      "QUERY_STRING" => "c=d&e",
      "REQUEST_URI" => "/a/b?c=d&e", "HTTP_HOST" => "example.org:8080",
      "SERVER_NAME" => "example.org", "SERVER_PORT" => "8080",
      "HTTP_USER_AGENT" => "me", "HTTP_X_SOME_THING" => "1"
    )
    assert_equal expected, env
  end

  def test_each_env_is_another
    first = receive(GET)
    first["REQUEST_METHOD"] = "changed"
    first["PATH_INFO"] << "changed"
    first["HTTP_X"] = "1"
    second = receive(GET)
    assert_equal %w[GET /], second.values_at("REQUEST_METHOD", "PATH_INFO")
    refute second.key?("HTTP_X")
    refute_predicate second, :frozen?
  end

  def test_the_template_is_not_changed
    template = Raffia::Native::HTTP1.template(TEMPLATE)
    @http1 = Raffia::Native::HTTP1.new(@socket, template)
    receive(GET)
    receive("POST /?a HTTP/1.0\r\n\r\n")
    assert_equal({**TEMPLATE, "REQUEST_METHOD" => "GET", "SERVER_PROTOCOL" => "HTTP/1.1",
      "QUERY_STRING" => ""}, template)
    assert_predicate template, :frozen?
  end

  def test_content_fields_have_no_prefix
    env = env_of("#{POST}Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx")
    assert_equal %w[text/plain 1], env.values_at("CONTENT_TYPE", "CONTENT_LENGTH")
    refute env.key?("HTTP_CONTENT_TYPE")
    refute env.key?("HTTP_CONTENT_LENGTH")
  end

  def test_fields_that_come_again_are_joined
    env = env_of("GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\nX-Own: 1\r\naccept: b\r\nCookie: " \
      "c=1\r\nX-OWN: 2\r\nx-own: 3\r\nCookie: d=2\r\n\r\n")
    assert_equal ["a, b", "1, 2, 3", "c=1; d=2"],
      env.values_at("HTTP_ACCEPT", "HTTP_X_OWN", "HTTP_COOKIE")
  end

  def test_many_fields_that_come_once
    names = Array.new(90) { |i| "X-Field-#{i}" }
    env = receive("GET / HTTP/1.1\r\nHost: " \
      "h\r\n#{names.map { |name| "#{name}: #{name}\r\n" }.join}\r\n")
    assert_equal names, names.map { |name| env["HTTP_#{name.upcase.tr("-", "_")}"] }
  end

  # Names that end and begin alike share a place in the cache.
  def test_names_that_are_alike
    names = Array.new(90) { |i| "X-#{"a" * 8}#{i}#{"b" * 8}" }
    2.times do
      env = receive("GET / HTTP/1.1\r\nHost: " \
        "h\r\n#{names.map { |name| "#{name}: #{name}\r\n" }.join}\r\n")
      assert_equal names, names.map { |name| env["HTTP_#{name.upcase.tr("-", "_")}"] }
    end
  end

  def test_short_names_and_empty_values
    env = env_of("GET / HTTP/1.1\r\nHost: h\r\nA:\r\nTE: trailers\r\nBc:  \r\n\r\n")
    assert_equal ["", "trailers", ""], env.values_at("HTTP_A", "HTTP_TE", "HTTP_BC")
  end

  def test_the_longest_name
    name = "n" * 256
    assert_equal "1",
      receive("GET / HTTP/1.1\r\nHost: h\r\n#{name}: 1\r\n\r\n")["HTTP_#{name.upcase}"]
  end

  def test_keys_are_the_same_frozen_strings
    first, second = Array.new(2) {
      receive("GET / HTTP/1.1\r\nHost: h\r\nAccept: a\r\nX-Quite-Unknown: 1\r\n\r\n").keys
    }
    assert_equal first, second
    first.zip(second) { |one, other| assert_same one, other }
    assert(first.all?(&:frozen?))
    assert(first.all? { |key| key.encoding == Encoding::UTF_8 })
  end

  # Like other servers: the application checks values.
  def test_values_are_binary_and_their_own
    env = receive("GET /a?b HTTP/1.1\r\nHost: h\r\nX: \xC3\xA4\r\n\r\n")
    values = env.values_at("PATH_INFO", "QUERY_STRING", "REQUEST_URI", "HTTP_X")
    assert_equal [Encoding::BINARY], values.map(&:encoding).uniq
    refute(values.any?(&:frozen?))
    assert_equal "ä", values.last.force_encoding("UTF-8")
  end

  def test_ports_that_are_not_given
    assert_equal %w[h 80], env_of("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      .values_at("SERVER_NAME", "SERVER_PORT")
    @http1 = http1({}, {**TEMPLATE, "rack.url_scheme" => "https"})
    assert_equal %w[h 443], env_of("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      .values_at("SERVER_NAME", "SERVER_PORT")
    assert_equal %w[h 80], env_of("GET / HTTP/1.1\r\nHost: h:80\r\n\r\n")
      .values_at("SERVER_NAME", "SERVER_PORT")
  end

  def test_hosts_that_change
    hosts = %w[a a b:1 a [::1]:2 [::1]]
    found = hosts.map do |host|
      receive("GET / HTTP/1.1\r\nHost: #{host}\r\n\r\n")
        .values_at("HTTP_HOST", "SERVER_NAME", "SERVER_PORT")
    end
    assert_equal [%w[a a 80], %w[a a 80], %w[b:1 b 1], %w[a a 80], %w[[::1]:2 [::1] 2],
      %w[[::1] [::1] 80]], found
  end

  # More than are remembered, of two templates.
  def test_many_hosts
    connections = [@http1, http1({}, {**TEMPLATE, "rack.url_scheme" => "https"})]
    100.times do |i|
      host = "h#{i % 30}"
      @client << "GET / HTTP/1.1\r\nHost: #{host}\r\n\r\n"
      env = connections[i % 2].receive(LONG, LONG)
      assert_equal [host, host, %w[80 443][i % 2]],
        env.values_at("HTTP_HOST", "SERVER_NAME", "SERVER_PORT")
    end
  end

  def test_without_a_host
    env = receive("GET / HTTP/1.0\r\n\r\n")
    assert_equal ["localhost", "9292", nil],
      env.values_at("SERVER_NAME", "SERVER_PORT", "HTTP_HOST")
    assert_equal "HTTP/1.0", env["SERVER_PROTOCOL"]
    receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    assert_equal %w[localhost 9292], receive("GET / HTTP/1.0\r\n\r\n")
      .values_at("SERVER_NAME", "SERVER_PORT")
  end

  def test_absolute_form
    env = env_of("GET http://h:1/a?b HTTP/1.1\r\nHost: h:1\r\n\r\n")
    assert_equal %w[/a b http://h:1/a?b h 1 h:1],
      env.values_at("PATH_INFO", "QUERY_STRING", "REQUEST_URI", "SERVER_NAME", "SERVER_PORT",
        "HTTP_HOST")
    assert_equal "/", receive("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n")["PATH_INFO"]
    assert_equal %w[/ a], receive("GET http://h?a HTTP/1.1\r\nHost: h\r\n\r\n")
      .values_at("PATH_INFO", "QUERY_STRING")
    assert_equal "*", receive("OPTIONS http://h HTTP/1.1\r\nHost: h\r\n\r\n")["PATH_INFO"]
    assert_equal %w[i 2], receive("GET http://i:2/ HTTP/1.0\r\n\r\n")
      .values_at("SERVER_NAME", "SERVER_PORT")
  end

  def test_asterisk_form_and_authority_form
    assert_equal "*", receive("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n")["PATH_INFO"]
    assert_equal %w[CONNECT h:443], receive("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n")
      .values_at("REQUEST_METHOD", "PATH_INFO")
  end

  def test_methods
    %w[GET HEAD POST PUT PATCH DELETE OPTIONS TRACE QUERY PURGE PROPFIND M-SEARCH].each do |method|
      env = receive("#{method} /a HTTP/1.1\r\nHost: h\r\n\r\n")
      assert_equal method, env["REQUEST_METHOD"]
      assert_predicate env["REQUEST_METHOD"], :frozen?
    end
  end

  def test_protocols_to_switch_to
    env = receive("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket ,  " \
      "other/2,\r\n\r\n")
    assert_equal %w[websocket other/2], env["rack.protocol"]
    assert_predicate @http1, :upgrade?
    refute receive(GET).key?("rack.protocol")
    refute_predicate @http1, :upgrade?
    refute receive("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n").key?("rack.protocol")
  end

  def test_predicates_of_a_request
    receive(GET)
    assert_equal [true, false, false, false],
      [@http1.keep_alive?, @http1.head?, @http1.http10?, @http1.body?]
    receive("HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    assert_equal [false, true, false, false],
      [@http1.keep_alive?, @http1.head?, @http1.http10?, @http1.body?]
    receive("POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx")
    assert_equal [false, false, true, true],
      [@http1.keep_alive?, @http1.head?, @http1.http10?, @http1.body?]
  end
end
