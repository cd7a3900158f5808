# frozen_string_literal: true

require "socket"

module Raffia
  module Lab
    class Mailer < Experiment
      # A client of SMTP (RFC 5321), enough to send a mail to a server on loopback. The bundled gem
      # net-smtp may be absent, and does not run in a Ractor because it needs Timeout.
      module SMTP
        # The server refused a step.
        class Refused < Error; end

        extend self

        # Returns the sent text. Raises SystemCallError when the server cannot be reached.
        def deliver(host, port, mail)
          text = mail.to_s
          socket = TCPSocket.new(host, port)
          expect(socket, "220", "greeting")
          say(socket, "EHLO lab.example", "250")
          say(socket, "MAIL FROM:<#{mail.from}>", "250")
          say(socket, "RCPT TO:<#{mail.to}>", "250")
          say(socket, "DATA", "354")
          say(socket, "#{stuff(text)}.", "250")
          say(socket, "QUIT", "221")
          text
        ensure
          socket&.close
        end

        private

        # A line that starts with a dot would end the mail, so it gets another dot (4.5.2).
        def stuff(text) = text.gsub(/^\./, "..")

        def say(socket, line, code)
          socket.write("#{line}\r\n")
          expect(socket, code, line[/\A\S+/])
        end

        def expect(socket, code, step)
          answer = socket.gets
          raise Refused, "the SMTP server closed the connection at #{step}" unless answer
          # 250-SIZE is followed by further lines; 250 SIZE is the last one.
          answer = socket.gets while answer[3] == "-"
          return if answer.start_with?(code)
          raise Refused, "the SMTP server refused #{step}: #{answer.chomp} (#{code} was expected)"
        end
      end
    end
  end
end
