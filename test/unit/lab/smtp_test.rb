# frozen_string_literal: true

require "test_helper"
require "socket"
require "zlib"
require "raffia/lab/mailer"
require_relative "service_case"

module Raffia
  module Lab
    class SMTPTest < ServiceCase
      def test_the_sink_counts_what_the_client_delivers
        serve(:smtp_sink) do |port|
          texts = [1, 2, 3].map do |index|
            Mailer::SMTP.deliver("127.0.0.1", port, Mailer.write(index, 5, 5))
          end
          assert_equal({mails: 3, different: 3, checksums: texts.sum { |text| Zlib.crc32(text) }},
            report)
        end
      end

      def test_the_same_mail_twice_is_two_mails_and_one_kind
        serve(:smtp_sink) do |port|
          2.times { Mailer::SMTP.deliver("127.0.0.1", port, Mailer.write(1, 5, 5)) }
          assert_equal [2, 1], report.values_at(:mails, :different)
        end
      end

      def test_a_reset_forgets
        serve(:smtp_sink) do |port|
          Mailer::SMTP.deliver("127.0.0.1", port, Mailer.write(1, 5, 5))
          tell("reset")
          assert_equal({mails: 0, different: 0, checksums: 0}, report)
        end
      end

      def test_a_mail_in_small_pieces
        text = Mailer.write(1, 5, 5).to_s
        serve(:smtp_sink) do |port|
          socket = TCPSocket.new("127.0.0.1", port)
          socket.gets
          ["HELO x", "MAIL FROM:<a@b>", "RCPT TO:<c@d>", "DATA"].each do |line|
            socket.write("#{line}\r\n") && socket.gets
          end
          "#{text.gsub(/^\./, "..")}.\r\n".each_char { |letter| socket.write(letter) }
          assert_equal "250 2.0.0 counted\r\n", socket.gets
          assert_equal Zlib.crc32(text), report[:checksums]
          socket.close
        end
      end

      def test_an_unknown_command
        serve(:smtp_sink) do |port|
          socket = TCPSocket.new("127.0.0.1", port)
          socket.gets
          socket.write("VRFY a\r\n")
          assert_equal "500 5.5.1 unknown command\r\n", socket.gets
          socket.close
        end
      end

      def test_a_server_that_refuses
        answering("554 no service\r\n") do |port|
          error = assert_raises(Mailer::SMTP::Refused) do
            Mailer::SMTP.deliver("127.0.0.1", port, Mailer.write(1, 5, 5))
          end
          assert_equal "the SMTP server refused greeting: 554 no service (220 was expected)",
            error.message
        end
      end

      def test_a_server_that_hangs_up
        answering("220 hello\r\n") do |port|
          error = assert_raises(Mailer::SMTP::Refused, Errno::ECONNRESET, Errno::EPIPE) do
            Mailer::SMTP.deliver("127.0.0.1", port, Mailer.write(1, 5, 5))
          end
          assert_match(/closed the connection at EHLO|reset|pipe/i, error.message)
        end
      end

      private

      # A server that says one thing to one client, and closes.
      def answering(text)
        server = TCPServer.new("127.0.0.1", 0)
        thread = Thread.new { server.accept.then { |client| client.write(text) && client.close } }
        yield server.local_address.ip_port
      ensure
        thread.join
        server.close
      end
    end
  end
end
