# frozen_string_literal: true

require_relative "server_case"
require "support/http2/connection"
require "support/python"

module Raffia
  # gRPC by a client of its own project, against a Rack application: trailers have the status, and
  # the body is read and written at once.
  class ServerHTTP2GRPCTest < ServerCase
    include TestSupport::Python

    # Messages are texts.
    module Echo
      def self.pack(text) = [0, text.bytesize].pack("CN") << text

      def self.unpack(io)
        head = io.read(5) or return
        io.read(head.unpack1("xN")).to_s
      end

      def self.call(env)
        trailers = env["raffia.response_trailers"]
        body = lambda do |stream|
          trailers["grpc-status"] = "0"
          send(env["PATH_INFO"].delete_prefix("/test.Echo/"), stream, trailers)
        ensure
          stream.close
        end
        [200, {"content-type" => "application/grpc"}, body]
      end

      # One message, one message.
      def self.unary(stream, _) = stream.write(pack(unpack(stream).upcase))

      # One message, a stream.
      def self.count(stream, _) = Integer(unpack(stream)).times { |n| stream.write(pack(n.to_s)) }

      # A stream, one message.
      def self.sum(stream, _)
        sum = 0
        while (message = unpack(stream))
          sum += Integer(message)
        end
        stream.write(pack(sum.to_s))
      end

      # Each message is answered before the next one comes.
      def self.chat(stream, _)
        while (message = unpack(stream))
          stream.write(pack("re: #{message}"))
        end
      end

      def self.refuse(_, trailers)
        trailers.update("grpc-status" => "9", "grpc-message" => "not now%21", "x-why-bin" => "AAEC")
      end
    end

    CLIENT = <<~PYTHON
      import sys, json, queue, grpc
      same = lambda data: data
      texts = lambda stream: [data.decode() for data in stream]
      channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1])
      call = lambda kind, name: getattr(channel, kind)("/test.Echo/" + name, same, same)
      out = {}
      out["unary"] = call("unary_unary", "unary")(b"hello", timeout=60).decode()
      out["large"] = len(call("unary_unary", "unary")(b"x" * 3000000, timeout=60))
      out["count"] = texts(call("unary_stream", "count")(b"1000", timeout=60))[-1]
      numbers = (str(n).encode() for n in range(1000))
      out["sum"] = call("stream_unary", "sum")(numbers, timeout=60).decode()
      questions = queue.Queue()
      answers = call("stream_stream", "chat")(iter(questions.get, None), timeout=60)
      out["chat"] = []
      for word in (b"a", b"b", b"c"):
          questions.put(word)
          out["chat"].append(next(answers).decode())
      questions.put(None)
      out["rest"] = texts(answers)
      try:
          call("unary_unary", "refuse")(b"", timeout=60)
      except grpc.RpcError as error:
          trailers = dict(error.trailing_metadata())
          out["refused"] = [error.code().value[0], error.details(), list(trailers["x-why-bin"])]
      many = [call("unary_unary", "unary").future(b"n%d" % n, timeout=60) for n in range(200)]
      out["many"] = sum(one.result() == b"N%d" % n for n, one in enumerate(many))
      print(json.dumps(out))
    PYTHON

    ANSWERS = {"unary" => "HELLO", "large" => 3_000_000, "count" => "999", "sum" => "499500",
               "chat" => ["re: a", "re: b", "re: c"], "rest" => [],
               "refused" => [9, "not now!", [0, 1, 2]], "many" => 200}.freeze

    def test_calls_of_all_kinds
      need_grpc
      serve(Echo) { |server| assert_equal ANSWERS, python(CLIENT, server.port) }
    end

    # The application reads and writes at once, there too.
    def test_calls_of_all_kinds_on_threads
      need_grpc
      serve(Echo, execution: :threads) do |server|
        assert_equal ANSWERS, python(CLIENT, server.port)
      end
    end

    # nginx keeps neither an upload nor an answer back.
    def test_calls_of_all_kinds_through_nginx
      need_grpc
      nginx = need_program("nginx")
      front = TestSupport::Daemon.free_port
      serve(Echo) do |server|
        TestSupport::Daemon.run(nginx, "-p", ".", "-e", "log", "-c", "conf", port: front,
          files: {"conf" => nginx_config(front, server.port)}) do
          assert_equal ANSWERS, python(CLIENT, front)
        end
      end
    end

    # The client gives up at the same moment, so a client that does not is used here.
    def test_the_deadline_of_a_call_ends_it_by_a_status_of_grpc
      serve(->(_env) { ::Thread::Queue.new.pop }) do |server|
        response = call(server, "grpc-timeout" => "50m")
        assert_equal [200, "4"], [response.status, response["grpc-status"]]
        assert_nil response.trailers
      end
    end

    # Trailers say it when some of the response has been sent. A limit of the server's own is for
    # the application, not for the body.
    {fibers: {}, threads: {}, threads_with_a_limit: {request_timeout: 0.1}}.each do |mode, limits|
      define_method("test_the_deadline_of_a_call_that_streams_in_#{mode}") do
        ended = ::Thread::Queue.new
        body = lambda do |stream|
          sleep(0.3)
          stream.write(Echo.pack("one"))
          ::Thread::Queue.new.pop
        ensure
          ended << Raffia.deadline&.expired?
        end
        app = ->(_) { [200, {"content-type" => "application/grpc"}, body] }
        serve(app, execution: mode[/[a-z]+/].to_sym, **limits) do |server|
          response = call(server, "grpc-timeout" => "2S")
          assert_equal [200, Echo.pack("one")], [response.status, response.body]
          assert_equal "4", response.trailers&.assoc("grpc-status")&.last
          assert ended.pop(timeout: 60)
        end
      end
    end

    def test_an_error_of_a_call_that_streams
      body = lambda do |stream|
        stream.write(Echo.pack("one"))
        raise "an error that the test wants"
      end
      serve(->(_) { [200, {"content-type" => "application/grpc"}, body] },
        log: File::NULL) do |server|
        response = call(server)
        assert_equal [Echo.pack("one"), "13"],
          [response.body, response.trailers&.assoc("grpc-status")&.last]
      end
    end

    def test_a_server_that_is_busy_says_so_by_a_status_of_grpc
      gate = ::Thread::Queue.new
      serve(->(_env) { [200, {}, [gate.pop]] }, max_in_flight: 1, max_queue_time: 0.01) do |server|
        first = connection(server)
        first.request(1)
        wait_until { gate.num_waiting == 1 }
        response = call(server)
        assert_equal [200, "14"], [response.status, response["grpc-status"]]
        gate << "done"
        assert_equal "done", first.response(1).body
      ensure
        first&.close
      end
    end

    private

    def need_grpc = need_python("grpc" => "python3-grpcio")

    def connection(server) = TestSupport::HTTP2::Connection.open(server.port)

    def call(server, fields = {})
      client = connection(server)
      client.get(1, "/test.Echo/unary", method: "POST",
        fields: {"content-type" => "application/grpc", "te" => "trailers"}.merge(fields).to_a)
    ensure
      client&.close
    end

    def nginx_config(front, back)
      <<~CONF
        #{"user root;" if ::Process.uid.zero?}
        daemon off; pid nginx.pid; error_log log;
        events { worker_connections 1000; }
        http {
          access_log off; client_max_body_size 100m;
          client_body_temp_path body; proxy_temp_path proxy;
          fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
          server {
            listen 127.0.0.1:#{front} http2;
            location / { grpc_pass grpc://127.0.0.1:#{back}; }
          }
        }
      CONF
    end
  end
end
