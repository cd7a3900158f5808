# frozen_string_literal: true

require_relative "server_case"
require "raffia/server/event_stream"

module Raffia
  # Server-sent events, read as a browser's EventSource reads them (the HTML standard, 9.2.6).
  class ServerEventStreamTest < ServerCase
    # Parses a stream like a browser.
    class Reader
      attr_reader :comments, :retry, :status, :headers

      def initialize(socket, path: "/", headers: {})
        @socket = socket
        @comments = 0
        lines = headers.map { |name, value| "#{name}: #{value}\r\n" }.join
        socket.write("GET #{path} HTTP/1.1\r\nHost: localhost\r\n#{lines}\r\n")
        @status = socket.gets[/\d{3}/].to_i
        @headers = {}
        @headers.store(*$_.chomp.downcase.split(": ", 2)) until socket.gets == "\r\n"
        @text = +""
      end

      # @return [Hash, nil] the next event; nil: the stream has ended
      def event
        fields = {}
        while (line = self.line)
          return fields if line.empty? && fields.key?(:data)

          take(line, fields)
        end
      end

      # A comment, waited for.
      def comment
        seen = @comments
        take(line || flunk, {}) until @comments > seen
      end

      private

      def take(line, fields)
        name, value = line.split(/: ?/, 2)
        case name
        when "" then @comments += 1 unless line.empty?
        when "data" then fields[:data] = [*fields[:data], value].join("\n")
        when "retry" then @retry = value.to_i
        else fields[name.to_sym] = value if name
        end
      end

      def line
        until (line = @text.slice!(/\A.*?\n/))
          size = @socket.gets&.to_i(16) or return
          return if size.zero?

          @text << @socket.read(size).force_encoding("UTF-8")
          @socket.gets
        end
        line.chomp
      end
    end

    def test_events_arrive_as_they_are_written
      go = Thread::Queue.new
      app = stream_app(retry: 1.5) do |stream|
        stream.write("first")
        go.pop
        stream.write("two\nlines", event: :news, id: 7)
        stream.write("dos\r\nmac\runix\n\nend\n", id: "x")
        stream.write("")
        stream.write({a: 1})
      end
      serve(app) do |server|
        read(server) do |reader|
          assert_equal [200, "text/event-stream", "no-cache", "no"],
            [reader.status,
              *reader.headers.values_at("content-type", "cache-control", "x-accel-buffering")]
          assert_equal({data: "first"}, reader.event)
          assert_equal 1500, reader.retry
          go << true
          assert_equal({event: "news", id: "7", data: "two\nlines"}, reader.event)
          assert_equal({id: "x", data: "dos\nmac\nunix\n\nend\n"}, reader.event)
          assert_equal({data: ""}, reader.event)
          assert_equal({data: {a: 1}.to_s}, reader.event)
          assert_nil reader.event
        end
      end
    end

    def test_a_reconnecting_client_sends_its_last_event_id
      app = stream_app { |stream| stream.write("after #{stream.last_event_id.inspect}") }
      serve(app) do |server|
        read(server, headers: {"Last-Event-ID" => "41"}) do |reader|
          assert_equal 'after "41"', reader.event[:data]
        end
        read(server) { |reader| assert_equal "after nil", reader.event[:data] }
      end
    end

    def test_silence_is_filled_by_comments
      done = Thread::Queue.new
      serve(stream_app(heartbeat: 0.05) { |stream|
        Raffia.offload { done.pop } &&
              stream.write("end")
      }) do |server|
        read(server) do |reader|
          3.times { reader.comment }
          done << true
          assert_equal "end", reader.event[:data]
        end
      end
    end

    def test_a_client_that_goes_ends_the_block_where_it_waits
      seen = Thread::Queue.new
      app = stream_app(heartbeat: 0.05) do |stream|
        seen << :waits
        sleep
      ensure
        seen << [:cleaned_up, stream.closed?]
      end
      serve(app) do |server|
        read(server) { assert_equal :waits, seen.pop }
        assert_equal [:cleaned_up, true], seen.pop
      end
    end

    def test_or_at_its_next_write
      seen = Thread::Queue.new
      app = stream_app(heartbeat: nil) do |stream|
        loop { stream.write("x" * 10_000) }
      rescue Closed => error
        seen << error.message
        raise
      end
      serve(app) do |server|
        read(server) { |reader| assert_equal "x" * 10_000, reader.event[:data] }
        assert_match(/client of the event stream has gone/, seen.pop)
      end
    end

    def test_the_server_serves_on_after_a_client_has_gone
      ended = Thread::Queue.new
      app = stream_app(heartbeat: 0.05) do |_|
        sleep
      ensure
        ended << true
      end
      serve(app) do |server|
        20.times { read(server) { |reader| reader.comment } }
        20.times { ended.pop }
        read(server) { |reader| assert_equal 200, reader.status }
      end
    end

    def test_a_server_that_stops_ends_the_streams
      server = Server.start(stream_app { |stream| stream.write("here") && sleep })
      read(server) do |reader|
        assert_equal "here", reader.event[:data]
        stopping = Thread.new { server.stop }
        assert_nil reader.event
        stopping.join
      end
    end

    def test_rack_lint_finds_nothing_and_is_not_in_the_way
      need_gem "rack"
      require "rack/lint"
      seen = Thread::Queue.new
      app = Rack::Lint.new(stream_app(heartbeat: 0.05) do |stream|
        stream.write("hello")
        sleep
      ensure
        seen << stream.closed?
      end)
      serve(app) do |server|
        read(server) do |reader|
          assert_equal "hello", reader.event[:data]
          reader.comment
        end
        assert_equal true, seen.pop
      end
    end

    def test_errors_are_the_apps
      seen = Thread::Queue.new
      app = stream_app do |stream|
        [{event: "two\nlines"}, {id: "nul\0"}, {id: "cr\r"}].each do |options|
          stream.write("x", **options)
        rescue ConfigError => error
          seen << error.message
        end
        stream.write("still alive")
      end
      serve(app) do |server|
        read(server) { |reader| assert_equal "still alive", reader.event[:data] }
      end
      assert_equal ['event of an event must be one line without NUL: "two\\nlines"',
        'id of an event must be one line without NUL: "nul\\u0000"',
        'id of an event must be one line without NUL: "cr\\r"'], Array.new(3) { seen.pop }
      assert_refused("EventStream.open needs a block: what writes the events") do
        Server::EventStream.open({})
      end
    end

    # Through HTTP/1.0 there are no chunks: the end of the connection ends it.
    def test_an_old_client_gets_it_until_the_end
      serve(stream_app { |stream| stream.write("old") }) do |server|
        assert_equal "data: old\n\n", raw(server, "GET / HTTP/1.0\r\n\r\n").last
        assert_equal ["text/event-stream", ""],
          raw(server, "HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .then { |_, headers, body| [headers["content-type"], body] }
      end
    end

    private

    def stream_app(**options, &block) = ->(env) { Server::EventStream.open(env, **options, &block) }

    def read(server, **options)
      socket = connect(server)
      yield Reader.new(socket, **options)
    ensure
      socket.close
    end
  end

  # The same from a thread of the application, which has no loop of its own. Those that wait for
  # seconds do so once.
  class ServerEventStreamOnThreadsTest < ServerEventStreamTest
    %i[
      test_the_server_serves_on_after_a_client_has_gone
      test_errors_are_the_apps
    ].each { |slow| undef_method(slow) }

    private

    def serve(app, **options, &) = super(app, execution: :threads, **options, &)
  end
end
