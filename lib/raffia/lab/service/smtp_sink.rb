# frozen_string_literal: true

require "zlib"

module Raffia
  module Lab
    class Service
      # A tiny SMTP server that keeps no mail, but counts: mails, different mails, and the sum of
      # their texts' checksums, to prove that each mail arrived whole.
      class SmtpSink
        REPLIES = {
          "EHLO" => "250-lab.example\r\n250 8BITMIME\r\n", "HELO" => "250 lab.example\r\n",
          "MAIL" => "250 2.1.0 ok\r\n", "RCPT" => "250 2.1.5 ok\r\n",
          "RSET" => "250 2.0.0 ok\r\n", "NOOP" => "250 2.0.0 ok\r\n",
          "DATA" => "354 end with a dot on a line of its own\r\n", "QUIT" => "221 2.0.0 bye\r\n"
        }.freeze
        END_OF_MAIL = "\r\n.\r\n"

        Session = Struct.new(:input, :in_data)

        def initialize
          @sessions = {}.compare_by_identity
          reset
        end

        # Nothing here happens by time.
        def due = nil

        def tick = true

        def reset
          @mails = 0
          @ids = {}
          @checksums = 0
        end

        def report = {mails: @mails, different: @ids.size, checksums: @checksums}

        def accepted(client)
          @sessions[client] = Session.new(+"", false)
          client.write("220 lab.example ESMTP\r\n")
        end

        # Returns whether the connection stays open.
        def received(client, data)
          session = @sessions.fetch(client)
          session.input << data
          session.in_data ? mail(client, session) : commands(client, session)
        end

        def dropped(client) = @sessions.delete(client)

        private

        def commands(client, session)
          while (line = session.input.slice!(/\A[^\n]*\n/))
            verb = line[0, 4].upcase
            client.write(REPLIES.fetch(verb, "500 5.5.1 unknown command\r\n"))
            return false if verb == "QUIT"
            next unless verb == "DATA"
            session.in_data = true
            return mail(client, session)
          end
          true
        end

        def mail(client, session)
          return true unless (stop = session.input.index(END_OF_MAIL))
          count(session.input.slice!(0, stop + END_OF_MAIL.size)[0..-4].gsub(/^\.\./, "."))
          session.in_data = false
          client.write("250 2.0.0 counted\r\n")
          commands(client, session)
        end

        def count(text)
          @mails += 1
          @ids[text[/^Message-ID: (.+)\r$/, 1]] = true
          @checksums += Zlib.crc32(text)
        end
      end
    end
  end
end
