# frozen_string_literal: true

require_relative "server_case"
require "support/proxies"

module Raffia
  # Sends the same bytes to us, and to us through nginx and haproxy. Requests are smuggled when two
  # parties disagree about their end. So requests that both accept must be the same, with the same
  # bodies, and we must refuse ambiguous ones.
  class ServerDifferentialTest < ServerCase
    include TestSupport::Proxies

    SEEN = <<~'RUBY'
      run lambda { |env|
        body = env["rack.input"] ? env["rack.input"].read.to_s : ""
        seen = "#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]} #{body}"
        [200, {"content-type" => "text/plain"}, ["seen:#{seen.unpack1("H*")}."]]
      }
    RUBY
    # Seconds for an answer that must come.
    SLOW = 30
    HOST = "Host: a.example\r\n"
    CHUNKED = "Transfer-Encoding: chunked\r\n"
    NEXT = "GET /next HTTP/1.1\r\n#{HOST}\r\n"

    post = ->(headers, body = "") { "POST /p HTTP/1.1\r\n#{HOST}#{headers}\r\n#{body}" }

    # name => [bytes, the requests in it]
    CLEAR = {
      "a request" => ["GET /a HTTP/1.1\r\n#{HOST}\r\n", ["GET /a "]],
      "two in a row" => ["GET /a HTTP/1.1\r\n#{HOST}\r\n#{NEXT}", ["GET /a ", "GET /next "]],
      "a length" => [post["Content-Length: 3\r\n", "abc#{NEXT}"], ["POST /p abc", "GET /next "]],
      "a length of nothing" => [post["Content-Length: 0\r\n", NEXT], ["POST /p ", "GET /next "]],
      "neither length nor chunks" => [post["", NEXT], ["POST /p ", "GET /next "]],
      "chunks" => [post[CHUNKED, "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n#{NEXT}"],
        ["POST /p abcde", "GET /next "]],
      "chunks with an extension" => [post[CHUNKED, "3;x=y\r\nabc\r\n0\r\n\r\n#{NEXT}"],
        ["POST /p abc", "GET /next "]],
      "chunks in capitals" => [post["TRANSFER-ENCODING: Chunked\r\n",
        "A\r\n0123456789\r\n0\r\n\r\n#{NEXT}"], ["POST /p 0123456789", "GET /next "]],
      "a trailer" => [post[CHUNKED, "1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n#{NEXT}"],
        ["POST /p a", "GET /next "]],
      "a request in a body" => [post["Content-Length: #{NEXT.bytesize}\r\n", NEXT + NEXT],
        ["POST /p #{NEXT}", "GET /next "]],
      "a body with GET" => ["GET /g HTTP/1.1\r\n#{HOST}Content-Length: 3\r\n\r\nabc#{NEXT}",
        ["GET /g abc", "GET /next "]]
    }.freeze

    # Here none of them may be more than an error, and nothing behind them may be taken for a
    # request.
    AMBIGUOUS = {
      "a length and chunks" => post["Content-Length: 5\r\n#{CHUNKED}", "0\r\n\r\n#{NEXT}"],
      "chunks and a length" => post["#{CHUNKED}Content-Length: 5\r\n", "0\r\n\r\n#{NEXT}"],
      "two lengths" => post["Content-Length: 3\r\nContent-Length: 4\r\n", "abcd#{NEXT}"],
      "a list of lengths" => post["Content-Length: 3, 4\r\n", "abcd#{NEXT}"],
      "a signed length" => post["Content-Length: +3\r\n", "abc#{NEXT}"],
      "a negative length" => post["Content-Length: -3\r\n", "abc#{NEXT}"],
      "a length in hex" => post["Content-Length: 0x3\r\n", "abc#{NEXT}"],
      "a length with an underscore" => post["Content-Length: 1_0\r\n", "0123456789#{NEXT}"],
      "an endless length" => post["Content-Length: 99999999999999999999\r\n", "abc#{NEXT}"],
      "no length at all" => post["Content-Length:\r\n", "abc#{NEXT}"],
      "a space before the colon" => post["Content-Length : 3\r\n", "abc#{NEXT}"],
      "another coding" => post["Transfer-Encoding: gzip\r\n", NEXT],
      "identity" => post["Transfer-Encoding: identity\r\n", NEXT],
      "chunks not last" => post["Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n#{NEXT}"],
      "chunks twice" => post["Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n#{NEXT}"],
      "two codings" => post["#{CHUNKED}Transfer-Encoding: identity\r\n", "0\r\n\r\n#{NEXT}"],
      "a tab in the coding" => post["Transfer-Encoding: \x0bchunked\r\n", "0\r\n\r\n#{NEXT}"],
      "a coding with NUL" => post["Transfer-Encoding: chunked\0\r\n", "0\r\n\r\n#{NEXT}"],
      "a folded coding" => post["Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n#{NEXT}"],
      "an underscore for a " \
        "hyphen" => post["Content_Length: 3\r\nContent-Length: 0\r\n", "abc#{NEXT}"],
      "chunks in HTTP/1.0" => "POST /p HTTP/1.0\r\n#{HOST}#{CHUNKED}Connection: " \
        "keep-alive\r\n\r\n0\r\n\r\n#{NEXT}",
      "a size in hex by prefix" => post[CHUNKED, "0x3\r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a signed size" => post[CHUNKED, "+3\r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a size with an underscore" => post[CHUNKED, "1_0\r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a size with a space" => post[CHUNKED, "3 \r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a size that overflows" => post[CHUNKED, "ffffffffffffffff3\r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "no size" => post[CHUNKED, "\r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a size that ends in LF" => post[CHUNKED, "3\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a chunk that ends in LF" => post[CHUNKED, "3\r\nabc\n0\r\n\r\n#{NEXT}"],
      "a chunk that is longer" => post[CHUNKED, "3\r\nabcde\r\n0\r\n\r\n#{NEXT}"],
      "LF in an extension" => post[CHUNKED, "3;x\ny\r\nabc\r\n0\r\n\r\n#{NEXT}"],
      "a length in a trailer" => post[CHUNKED, "0\r\nContent-Length: 5\r\n\r\n#{NEXT}"],
      "a bare CR in a value" => "GET /a HTTP/1.1\r\n#{HOST}X: a\rY: b\r\n\r\n#{NEXT}",
      "NUL in a value" => "GET /a HTTP/1.1\r\n#{HOST}X: a\0b\r\n\r\n#{NEXT}",
      "lines that end in LF" => "GET /a HTTP/1.1\nHost: a.example\n\n#{NEXT}",
      "a folded line" => "GET /a HTTP/1.1\r\n#{HOST}X: a\r\n b\r\n\r\n#{NEXT}",
      "no host" => "GET /a HTTP/1.1\r\n\r\n#{NEXT}",
      "two hosts" => "GET /a HTTP/1.1\r\n#{HOST}Host: b.example\r\n\r\n#{NEXT}",
      "a target that names another host" => "GET http://b.example/a HTTP/1.1\r\n#{HOST}\r\n#{NEXT}",
      "a space in the target" => "GET /a b HTTP/1.1\r\n#{HOST}\r\n#{NEXT}",
      "a line without a colon" => "GET /a HTTP/1.1\r\n#{HOST}nonsense\r\n\r\n#{NEXT}",
      "another version" => "GET /a HTTP/3.0\r\n#{HOST}\r\n#{NEXT}"
    }.freeze

    def test_unambiguous_requests_are_read_alike_by_all
      through(:nginx, :haproxy) do |ports|
        CLEAR.each do |name, (bytes, requests)|
          ports.each do |party, port|
            assert_equal requests, seen(port, bytes, requests.size, SLOW), "#{name}, by #{party}"
          end
        end
      end
    end

    def test_ambiguous_requests_are_refused
      program(SEEN) do |server|
        AMBIGUOUS.each do |name, bytes|
          status, headers, = raw(server, bytes)
          assert_includes 400..505, status, name
          assert_equal "close", headers["connection"], name
        end
      end
    end

    # A proxy may repair or refuse it, but must not make us read what it did not.
    def test_ambiguous_requests_smuggle_nothing_through_a_proxy
      through(:nginx, :haproxy) do |ports|
        AMBIGUOUS.each do |name, bytes|
          ports.each do |party, port|
            next if party == :raffia

            requests = seen(port, bytes, 2)
            assert_operator requests.size, :<=, 2, "#{name}, by #{party}"
            assert_empty requests.grep_v(%r{\A(POST /p |GET /a|GET /next )}), "#{name}, by #{party}"
          end
        end
      end
    end

    private

    def through(*proxies, ports: {}, &)
      return yield(ports) if proxies.empty?

      behind(proxies.first, SEEN, buffering: "on") do |front, back|
        through(*proxies.drop(1), ports: {:raffia => back, **ports, proxies.first => front}, &)
      end
    end

    # @param patience [Numeric] seconds without an answer: then there are fewer
    # @return [Array<String>] the requests that the app has seen
    def seen(port, bytes, most, patience = 0.5)
      socket = connect(port)
      socket.write(bytes)
      text = +""
      while text.scan(/seen:\h*\./).size < most && socket.wait_readable(patience)
        text << socket.readpartial(65_536)
      end
      requests(text)
    rescue EOFError, Errno::ECONNRESET
      requests(text)
    ensure
      socket.close
    end

    def requests(text) = text.scan(/seen:(\h*)\./).map { |(hex)| [hex].pack("H*") }
  end
end
