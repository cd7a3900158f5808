# frozen_string_literal: true

require_relative "../options"

module Raffia
  module CLI
    module Work
      # What can be said to `raffia work`.
      #
      # @api private
      class Flags
        include Options

        # How to call it.
        USAGE = <<~TEXT
          Usage: raffia work [OPTIONS]

          Does background jobs. Each job runs in a fiber of its own, unless its class
          says `on: :threads`, `:processes`, `:ractors` or `:auto`.
        TEXT
        EXAMPLES = <<~TEXT

          Examples:
            raffia work -r ./jobs.rb             the queue "default" of sqlite:raffia.db
            raffia work -q mail -q low           all of "mail" first, then "low"
            raffia work -q mail,3 -q low,1       "mail" first in three of four cases
            raffia work --processes 4 -c 200 --store redis://localhost:6379/0

          Signals to the process whose pid is shown: TERM and INT let the jobs that have
          begun end, for as long as --timeout says, and put what is left back into its
          queue. TSTP begins no more jobs. HUP replaces the workers one after the other,
          with the code that is on the disk then. TTIN and TTOU: one process more, one
          less. QUIT writes what all jobs wait for.
        TEXT
        WIDTH = 26
        private_constant :EXAMPLES, :WIDTH

        # @return [Hash{Symbol => Object}] what was said
        attr_reader :given

        def initialize
          @given = {require: [], queues: [], labels: []}
        end

        # @return [Array<String>] what is no flag
        # @raise [OptionParser::ParseError]
        def parse(argv) = parser.parse(argv)

        # @return [Boolean]
        def help? = !!@given[:help]

        # @return [Integer] the exit code
        def help(out)
          out.puts parser, EXAMPLES
          OK
        end

        private

        def parser
          @parser ||= Options.parser(USAGE, WIDTH) do |o|
            work(o)
            processes(o)
            operation(o)
          end
        end

        def work(o)
          o.separator "\nWhat it does:"
          o.on("-r", "--require FILE",
            *wrap("the program with the jobs, or the folder of a Rails application; default: the " \
              "Rails application here, or jobs.rb")) { |path| @given[:require] << path }
          o.on("-q", "--queue NAME[,WEIGHT]",
            *wrap("a queue; several are taken from in this order, or by weight " \
              "(default)")) { |queue| @given[:queues] << queue }
          o.on("-c", "--concurrency N", *wrap("jobs at a time in each process (50)")) do |text|
            @given[:concurrency] = count(text)
          end
          o.on("--threads N", *wrap("of them on threads, at most (10)")) do |text|
            @given[:threads] = count(text)
          end
          o.on("--store URL",
            *wrap("where the jobs are; default: what the program says, then RAFFIA_STORE, then " \
              "sqlite:raffia.db")) { |url| @given[:store] = url }
          o.on("-e", "--environment NAME",
            *wrap("that the program runs in (development)")) do |name|
            @given[:environment] = name
          end
        end

        def processes(o)
          o.separator "\nProcesses:"
          o.on("--processes N",
            *wrap("worker processes; 0: none but this one, unsupervised (1)")) do |text|
              @given[:processes] = count(text, least: 0)
            end
          o.on("-t", "--timeout SECONDS",
            *wrap("that jobs have to end when the worker is to stop (25)")) do |text|
              @given[:timeout] = seconds(text)
            end
          o.on("--memory-limit " \
            "BYTES", *wrap("replace a worker that is larger, such as 512m (PSS)")) do |text|
              @given[:memory_limit] = bytes(text)
            end
          o.on("--lease SECONDS",
            *wrap("after which the jobs of a worker that gives no sign of life are others' " \
              "(15)")) { |text| @given[:lease] = seconds(text) }
          o.on("--hang-timeout SECONDS",
            *wrap("replace a worker whose loop has stood still for so long; default: one that " \
              "neither runs Ruby code nor uses the processor for 60 s")) do |text|
                @given[:hang_timeout] = seconds(text)
              end
        end

        def operation(o)
          o.separator "\nOperation:"
          o.on("--health ADDRESS",
            *wrap("serve /health, /ready, /metrics and /stats.json, such as " \
              "tcp://127.0.0.1:9393")) { |address| @given[:health] = address }
          o.on("--web ADDRESS",
            *wrap("serve the dashboard, such as 127.0.0.1:9293; where others can reach it, " \
              "RAFFIA_WEB_AUTH must be USER:PASSWORD")) { |address| @given[:web] = address }
          o.on("--web-read-only", *wrap("nothing can be changed there")) do
            @given[:web_read_only] = true
          end
          o.on("--pidfile FILE", *wrap("a file with the pid")) { |path| @given[:pid_file] = path }
          o.on("--tag NAME", *wrap("a name for these workers; default: the folder's")) do |tag|
            @given[:tag] = tag
          end
          o.on("--label NAME", *wrap("something to tell them from others by")) do |label|
            @given[:labels] << label
          end
          o.on("--json", *wrap("what is printed, and the log, as JSON")) { @given[:json] = true }
          o.on("-h", "--help", *wrap("this page")) { @given[:help] = true }
        end
      end
    end
  end
end
