# frozen_string_literal: true

require "zlib"
require_relative "experiment"
require_relative "mailer/mail"
require_relative "mailer/smtp"

module Raffia
  module Lab
    # Mails, each built by a small DSL after some CPU work, and sent by SMTP to a sink that counts
    # them.
    class Mailer < Experiment
      MAILS = 100
      FIB = 30

      # The naive recursion: its cost is its purpose.
      def self.fib(number) = (number < 2) ? number : fib(number - 1) + fib(number - 2)

      # Sends one mail to the SMTP server on a port of loopback. Returns the fib of number, and the
      # checksum of the sent text.
      def self.deliver(index, port, number)
        result = fib(number)
        mail = write(index, number, result)
        [result, Zlib.crc32(SMTP.deliver("127.0.0.1", port, mail))]
      end

      def self.write(index, number, result)
        Mail.build do
          from "lab@raffia.example"
          to "reader-#{index}@raffia.example"
          subject "Report #{index}"
          id "<#{index}.#{number}@raffia.example>"
          date "Sat, 21 Nov 2026 09:00:00 +0000"
          body "Dear reader #{index},\n\nfib(#{number}) is #{result}.\n.\n..and this line starts " \
            "with two dots.\n"
        end
      end

      def name = "mailer"

      def title = "mails built by a DSL, CPU work for each, handed over SMTP"

      def controls = {plain_ractors: :ractors, plain_processes: :processes}

      def params(scale) = {mails: [(MAILS * scale).round, 2].max, fib: FIB}

      def size(params) = "#{params[:mails]} mails, fib(#{params[:fib]}) each"

      def service = :smtp_sink

      def warm_up(setting)
        Control.map(setting, [0, 1], work(setting, 15))
      end

      def perform(setting)
        sent = Control.map(setting, 0...setting.params[:mails],
          work(setting, setting.params[:fib]))
        {sent: sent.size, fibs: sent.map(&:first).uniq, checksums: sent.sum(&:last)}
      end

      def verify(params, facts, report)
        {
          "mails counted by the sink" => report[:mails] == params[:mails] &&
            facts[:sent] == params[:mails],
          "each mail arrived once" => report[:different] == params[:mails],
          "each mail arrived whole" => report[:checksums] == facts[:checksums],
          "fib is right" => facts[:fibs] == [fast_fib(params[:fib])]
        }
      end

      def goals(rows) = parallel_goals(rows)

      private

      def work(setting, number) = Work.new(Mailer, :deliver, [setting.service.fetch(:port), number])

      def fast_fib(number) = (1..number).reduce([0, 1]) { |(a, b), _| [b, a + b] }.first
    end
  end
end
