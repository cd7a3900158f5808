# frozen_string_literal: true

require_relative "../serve/flags"

module Raffia
  module CLI
    module Up
      # What can be said to `raffia up`: all that can be said to `raffia serve`, and what is about
      # jobs.
      #
      # @api private
      class Flags < Serve::Flags
        # How to call it.
        USAGE = <<~TEXT
          Usage: raffia up [OPTIONS] [FILE]

          Serves the Rack application in FILE, as `raffia serve` does, and does its
          background jobs, as `raffia work` does, in processes of their own under the
          same supervisor. With --processes 0 both are done in this one.
        TEXT
        EXAMPLES = <<~TEXT

          Examples:
            raffia up                            config.ru on localhost:9292, and jobs
            raffia up --processes 2 --jobs 4 -q mail,3 -q low
            raffia up --processes 0 --store sqlite:storage/jobs.db

          Signals to the process whose pid is shown: INT and TERM stop it when what has
          begun has ended, HUP replaces the workers one after the other, TSTP begins no
          more jobs.
        TEXT
        private_constant :EXAMPLES

        private

        def usage = USAGE

        def examples = EXAMPLES

        def orders(o)
          super
          o.separator "\nJobs:"
          o.on("--jobs N",
            *wrap("worker processes that do jobs, besides those that serve (1)")) do |text|
              @asked[:jobs] = count(text)
            end
          o.on("-r", "--require FILE",
            *wrap("the jobs, where the application does not load them; default: jobs.rb, if " \
              "there")) { |path| (@asked[:require] ||= []) << path }
          o.on("-q", "--queue NAME[,WEIGHT]",
            *wrap("a queue; several are taken from in this order, or by weight " \
              "(default)")) { |queue| (@asked[:queues] ||= []) << queue }
          o.on("-c", "--concurrency N", *wrap("jobs at a time in each of them (50)")) do |text|
            @asked[:concurrency] = count(text)
          end
          o.on("--job-timeout SECONDS",
            *wrap("that jobs have to end when it is to stop (25)")) do |text|
              @asked[:timeout] = seconds(text)
            end
          o.on("--store URL",
            *wrap("where the jobs are; default: what the program says, then RAFFIA_STORE, then " \
              "sqlite:raffia.db")) { |url| @asked[:store] = url }
        end
      end
    end
  end
end
