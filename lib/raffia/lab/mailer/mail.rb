# frozen_string_literal: true

module Raffia
  module Lab
    class Mailer < Experiment
      # A mail, built by a small DSL:
      #   Mail.build { from "a@lab.example"; to "b@lab.example"; subject "Hello"; body "Bye" }.to_s
      class Mail
        HEADERS = {from: "From", to: "To", subject: "Subject", id: "Message-ID",
                   date: "Date"}.freeze
        MANDATORY = %i[from to subject body].freeze

        # The block's self is the mail. Raises ConfigError when one of {MANDATORY} is missing.
        def self.build(&block)
          mail = new
          mail.instance_exec(&block)
          mail.check
        end

        def initialize
          @parts = {}
        end

        # Each part is set with an argument and read without. Written out, because another Ractor
        # cannot call methods that define_method made of a block.
        def from(value = nil) = part(:from, value)

        def to(value = nil) = part(:to, value)

        def subject(value = nil) = part(:subject, value)

        def id(value = nil) = part(:id, value)

        def date(value = nil) = part(:date, value)

        def body(value = nil) = part(:body, value)

        def check
          missing = MANDATORY.reject { |name| @parts.key?(name) }
          return self if missing.empty?
          raise ConfigError, "a mail needs #{missing.join(", ")}: say it in the block of Mail.build"
        end

        # RFC 5322, with lines ended by CRLF.
        def to_s
          lines = HEADERS.filter_map do |name, header|
            "#{header}: #{@parts[name]}" if @parts.key?(name)
          end
          [*lines, "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "",
            *body.split("\n"), ""].join("\r\n")
        end

        private

        def part(name, value)
          return @parts[name] if value.nil?
          # A line break in a header would let its value write further headers.
          value = value.to_s.gsub(/[\r\n]+/, " ") unless name == :body
          @parts[name] = value
        end
      end
    end
  end
end
