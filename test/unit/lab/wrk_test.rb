# frozen_string_literal: true

require "test_helper"
require "raffia/lab/http"

module Raffia
  module Lab
    class WrkTest < TestCase
      FINE = <<~TEXT
        Running 2s test @ http://127.0.0.1:8080/
          2 threads and 1024 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency    34.30ms   10.20ms 100.10ms   77.30%
            Req/Sec    14.93k     1.50k   16.00k    80.00%
          Latency Distribution
             50%   33.41ms
             75%   38.00ms
             90%   44.00ms
             99%   49.46ms
          59573 requests in 2.02s, 7.10MB read
        Requests/sec:  29512.29
        Transfer/sec:      3.52MB
      TEXT
      ERRORS = <<~TEXT
             99%    1.36s
          100 requests in 2.02s, 7.10MB read
          Socket errors: connect 1, read 5, write 0, timeout 12
          Non-2xx or 3xx responses: 3
        Requests/sec:     50.00
      TEXT

      def test_a_run_without_errors
        assert_equal({rate: 29_512.29, p99: 49.46, requests: 119_146, errors: 0},
          Http::Wrk.facts([FINE, FINE]))
      end

      def test_errors_of_all_kinds_count_even_in_the_warm_up
        assert_equal({rate: 29_512.29, p99: 49.46, requests: 59_673, errors: 21},
          Http::Wrk.facts([ERRORS, FINE]))
        assert_in_delta 1_360.0, Http::Wrk.facts([FINE, ERRORS])[:p99]
      end

      def test_an_output_without_an_end_is_an_error
        assert_equal 1, Http::Wrk.facts([FINE, "unable to connect to 127.0.0.1:80"])[:errors]
      end

      def test_the_command
        assert_equal %w[wrk -t2 -c1024 -d3s --latency http://127.0.0.1:81/],
          Http::Wrk.command({threads: 2, connections: 1_024}, 3, 81)
      end

      def test_a_program_that_is_not_there
        assert_match(/apt-get install wrk/, Http::Wrk.missing("no-such-program-here"))
        assert_nil Http::Wrk.missing("true")
      end
    end
  end
end
