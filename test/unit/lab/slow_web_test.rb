# frozen_string_literal: true

require "test_helper"
require "net/http"
require "raffia/lab/fan_out"
require_relative "service_case"

module Raffia
  module Lab
    class SlowWebTest < ServiceCase
      def test_both_clients_get_the_document
        serve(:slow_web) do |port|
          assert_equal [Service::SlowWeb.document(7, 3_000)] * 2,
            %i[net_http socket].map { |client| Web::Fetch.public_send(client, "/1/7/3000", port) }
          assert_equal({served: 2, different: 1, together: 1}, report)
        end
      end

      def test_many_wait_at_once
        serve(:slow_web) do |port|
          sums = FanOut.calls([0, 20], :socket, port, 1_500)
          assert_equal (0...20).map { |index|
            Zlib.crc32(Service::SlowWeb.document(index, FanOut::BYTES))
          }, sums
          assert_equal({served: 20, different: 20, together: 20}, report)
          tell("reset")
          assert_equal({served: 0, different: 0, together: 0}, report)
        end
      end

      def test_documents_are_as_long_as_asked_and_differ
        [1, 7, 65_536, 131_075].each do |bytes|
          assert_equal bytes, Service::SlowWeb.document(3, bytes).bytesize
        end
        refute_equal Service::SlowWeb.document(1, 100), Service::SlowWeb.document(2, 100)
      end

      def test_another_answer_is_an_error
        with_server("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n") do |port|
          error = assert_raises(Web::Fetch::Refused) { Web::Fetch.net_http("/a", port) }
          assert_equal "/a was answered by 500", error.message
          error = assert_raises(Web::Fetch::Refused) { Web::Fetch.socket("/a", port) }
          assert_equal "/a was answered by \"HTTP/1.1 500 Oops\\r\\n\"", error.message
        end
      end

      def test_no_answer_is_an_error_too
        with_server("") do |port|
          assert_raises(Web::Fetch::Refused) { Web::Fetch.socket("/a", port) }
        end
      end

      private

      # A server that says the same to everybody.
      def with_server(answer)
        server = TCPServer.new("127.0.0.1", 0)
        thread = Thread.new do
          loop do
            client = server.accept
            client.gets("\r\n\r\n")
            client.write(answer)
            client.close
          end
        end
        yield server.local_address.ip_port
      ensure
        thread.kill.join
        server.close
      end
    end
  end
end
