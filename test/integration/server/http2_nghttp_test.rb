# frozen_string_literal: true

require_relative "server_case"
require "open3"
require "tempfile"

module Raffia
  # nghttp and h2load, which come with libnghttp2.
  class ServerHTTP2NghttpTest < ServerCase
    LARGE = "0123456789" * 50_000
    APP = lambda do |env|
      case env["PATH_INFO"]
      when "/large" then [200, {"content-type" => "text/plain"}, [LARGE]]
      when "/echo"
        body = env["rack.input"].read
        trailers = env["raffia.trailers"]&.call
        [200, {"x-trailers" => trailers.inspect.delete("\s")}, [body]]
      else [200, {"content-type" => "text/plain"}, ["hello"]]
      end
    end

    def test_a_request_in_full
      serve(APP) do |server|
        output = run_program("nghttp", "-nv", "#{server.url}/")
        assert_includes output, "[SETTINGS_MAX_CONCURRENT_STREAMS(0x03):100]"
        assert_includes output, ":status: 200"
        assert_match(/recv DATA frame <length=5, flags=0x01/, output)
      end
    end

    # -w and -W: bits of the windows of a stream and of the connection.
    def test_small_windows
      serve(APP) do |server|
        [["10", "10"], ["16", "12"], ["12", "16"]].each do |stream, connection|
          assert_equal LARGE, run_program("nghttp", "-w", stream, "-W", connection,
            "#{server.url}/large")
        end
      end
    end

    def test_trailers_of_a_request
      Tempfile.create("upload") do |file|
        file.write("x" * 100_000)
        file.close
        serve(APP) do |server|
          output = run_program("nghttp", "-v", "-d", file.path, "--trailer", "x-sum: 1",
            "#{server.url}/echo")
          assert_match(/x-trailers: {"x-sum"=>"1"}/, output)
        end
      end
    end

    def test_priorities_and_padding
      serve(APP) do |server|
        output = run_program("nghttp", "-n", "-v", "-b", "100", "-p", "200", "-m", "20",
          "#{server.url}/large")
        assert_equal 20, output.scan(":status: 200").size
      end
    end

    {small: ["-n", "2000", "-c", "4", "-m", "50"], single: ["-n", "500", "-c", "5", "-m", "1"],
     large: ["-n", "60", "-c", "3", "-m", "10", "/large"],
     uploads: ["-n", "100", "-c", "2", "-m", "10", "-d", "upload", "/echo"]}
      .each do |name, arguments|
      define_method(:"test_load_of_#{name}") do
        Tempfile.create("upload") do |file|
          file.write("y" * 200_000)
          file.close
          path = arguments.last.start_with?("/") ? arguments.last : "/"
          flags = arguments.grep_v(/\A\//).map { |flag| (flag == "upload") ? file.path : flag }
          serve(APP) { |server| assert_load(flags, "#{server.url}#{path}") }
        end
      end
    end

    private

    def assert_load(flags, url)
      output = run_program("h2load", *flags, url)
      count = flags[flags.index("-n") + 1]
      assert_includes output, "#{count} succeeded, 0 failed, 0 errored, 0 timeout"
      assert_includes output, "status codes: #{count} 2xx"
    end

    def run_program(name, *arguments)
      output, status = Open3.capture2e(need_program(name), *arguments, binmode: true)
      assert_predicate status, :success?, output
      output
    end
  end
end
