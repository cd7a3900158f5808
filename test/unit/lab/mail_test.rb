# frozen_string_literal: true

require "test_helper"
require "raffia/lab/mailer"

module Raffia
  module Lab
    class MailTest < TestCase
      def test_what_it_looks_like
        mail = Mailer::Mail.build do
          from "a@lab.example"
          to "b@lab.example"
          subject "Hello"
          body "Good morning,\n\nyours."
        end
        assert_equal "From: a@lab.example\r\nTo: b@lab.example\r\nSubject: " \
        "Hello\r\nMIME-Version: 1.0\r\n" \
          "Content-Type: text/plain; charset=utf-8\r\n\r\nGood morning,\r\n\r\nyours.\r\n",
          mail.to_s
      end

      def test_a_header_cannot_bring_further_headers
        mail = Mailer.write(1, 2, 3)
        mail.subject("Hello\r\nBcc: everybody@lab.example")
        assert_includes mail.to_s, "Subject: Hello Bcc: everybody@lab.example\r\n"
      end

      def test_what_is_missing_is_named
        error = assert_raises(ConfigError) { Mailer::Mail.build { from "a@lab.example" } }
        assert_equal "a mail needs to, subject, body: say it in the block of Mail.build",
          error.message
      end

      def test_it_can_be_built_in_another_ractor
        need_ractors
        inline = Mailer.write(7, 10, 55).to_s
        assert_equal inline, Ractor.new { Raffia::Lab::Mailer.write(7, 10, 55).to_s }
          .then { |r| r.respond_to?(:value) ? r.value : r.take }
      end
    end
  end
end
