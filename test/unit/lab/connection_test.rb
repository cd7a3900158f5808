# frozen_string_literal: true

require "test_helper"
require "socket"
require "raffia/lab/web/connection"

module Raffia
  module Lab
    class ConnectionTest < TestCase
      ECHO = ->(env) {
        [200, {"x-lab" => "yes"},
          [env.values_at("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING").join(" "), "!"]]
      }

      def test_a_client_that_stays
        answers, served = say("GET /a?b=1 HTTP/1.1\r\nHost: lab\r\n\r\nGET /c HTTP/1.1\r\n\r\n")
        assert_equal ["HTTP/1.1 200 OK\r\nx-lab: yes\r\ncontent-length: 11\r\n\r\nGET /a b=1!",
          "HTTP/1.1 200 OK\r\nx-lab: yes\r\ncontent-length: 8\r\n\r\nGET /c !"].join, answers
        assert_equal 2, served
      end

      def test_clients_that_do_not_stay
        ["GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"].each do |request|
          assert_equal 1, say(request * 2).last, request
        end
      end

      def test_half_a_request_is_none
        assert_equal ["", 0], say("GET / HTTP/1.1\r\nHo")
      end

      def test_a_client_that_is_gone
        ours, theirs = UNIXSocket.pair
        theirs.write("GET / HTTP/1.1\r\n\r\n")
        theirs.close
        assert_equal 0, Web::Connection.new(ECHO).serve(ours)
        assert_predicate ours, :closed?
      end

      private

      # @return [Array(String, Integer)] what came back, and how many requests were answered
      def say(text)
        ours, theirs = UNIXSocket.pair
        theirs.write(text)
        theirs.close_write
        served = Web::Connection.new(ECHO).serve(ours)
        [theirs.read, served]
      ensure
        theirs.close
      end
    end
  end
end
