# frozen_string_literal: true

require "test_helper"
require "raffia/lab/blocking_db"

module Raffia
  module Lab
    class ApacheBenchTest < TestCase
      FINE = <<~TEXT
        Concurrency Level:      200
        Time taken for tests:   12.250 seconds
        Complete requests:      1001
        Failed requests:        0
        Requests per second:    81.71 [#/sec] (mean)

        Connection Times (ms)
                      min  mean[+/-sd] median   max
        Connect:        0    3   4.1      1      15
        Total:       2003 2027  12.0   2025    2065
      TEXT

      def test_the_request_that_goes_alone_is_taken_off
        facts = BlockingDB::ApacheBench.facts(FINE)
        assert_in_delta 10.247, facts.delete(:seconds)
        assert_equal({complete: 1_001, errors: 0}, facts)
      end

      def test_what_failed_and_what_was_refused_are_errors
        bad = FINE.sub("Failed requests:        0",
          "Failed requests:        2\nNon-2xx responses:      3")
        assert_equal 5, BlockingDB::ApacheBench.facts(bad)[:errors]
      end

      def test_an_output_without_an_end_is_an_error
        assert_equal({seconds: 0.0, complete: 0, errors: 1},
          BlockingDB::ApacheBench.facts("apr_socket_recv: Connection refused (111)"))
      end

      def test_the_command
        assert_equal %w[ab -q -s600 -n1001 -c200 http://127.0.0.1:81/],
          BlockingDB::ApacheBench.command(1_000, 200, 81)
      end

      def test_a_program_that_is_not_there
        assert_match(/apt-get install apache2-utils/,
          BlockingDB::ApacheBench.missing("no-such-program-here"))
        assert_nil BlockingDB::ApacheBench.missing("true")
      end
    end
  end
end
