# frozen_string_literal: true

require "test_helper"
require "raffia/lab/io_wait"
require_relative "service_case"

module Raffia
  module Lab
    class SlowServerTest < ServiceCase
      def test_it_answers_what_it_was_asked
        serve(:slow_server) do |port|
          assert_equal [0.02, 0.0], [IoWait.ask(0.02, port), IoWait.ask(0.0, port)]
          assert_equal({served: 2, together: 1}, report)
        end
      end

      def test_waits_run_side_by_side
        serve(:slow_server) do |port|
          assert_equal [1.5, 1.4],
            [1.5, 1.4].map { |seconds| Thread.new { IoWait.ask(seconds, port) } }.map(&:value)
          assert_equal({served: 2, together: 2}, report)
        end
      end

      def test_a_client_that_does_not_wait
        serve(:slow_server) do |port|
          socket = TCPSocket.new("127.0.0.1", port)
          socket.write("60\n")
          socket.close
          assert_equal 0.0, IoWait.ask(0.0, port)
          assert_equal 1, report[:served]
        end
      end
    end
  end
end
