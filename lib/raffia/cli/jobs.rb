# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia jobs`: shows the jobs of a store, and changes them.
    #
    # @api private
    class Jobs < Command
      SUMMARY = "show background jobs, retry, delete, move them"
      USAGE = <<~TEXT
        Usage: raffia jobs [--store URL] COMMAND [ARGUMENTS]

          stats                        numbers of jobs, now and of the last days
          queues                       the queues, their sizes and latencies
          processes                    the workers, and what each is doing
          metrics                      the state of the store for Prometheus
          scaling                      latency, backlog, and the workers that they need
          list SET                     queue NAME, scheduled, retry, blocked, running or
                                       dead
          show JID                     one job with all its fields
          workflow ID                  the steps of a workflow (--limit of them)
          explain JID                  why a job is not running
          flows [STATUS], flow ID      durable functions, and the steps of one
          enqueue CLASS [JSON...]      a new job with these arguments
          retry JID... | FILTER        back to their queue: scheduled, retry, blocked or
                                       dead jobs
          kill JID... | FILTER         to the dead set: of a queue, scheduled or retry
          delete JID... | FILTER       for good
          move JID... | FILTER --to Q  to another queue; they stay scheduled, dead ...
          pause QUEUE, resume QUEUE    whether workers take jobs from it; --rate KEY:
                                       whether jobs of this rate start
          drain QUEUE                  wait until it is empty, then pause it
          order WORKER ORDER           quiet, stop, dump, "cancel JID", "trace JID";
                                       WORKER as `processes` shows it
          recurring [run|pause|resume|delete NAME]
          export [FILE]                all jobs as lines of JSON
          import [FILE]                what `export` wrote, into this store
          import --from GEM URL        jobs of another gem
          keys                         numbers of encrypted jobs by key
          reencrypt                    encrypt jobs of older keys by the active one
          check                        look for damage in the store

        FILTER is one or more of --all SET, --queue, --class, --error, --tenant,
        --older-than and --match; --dry-run only counts. `raffia jobs COMMAND --help`
        explains a command and lists its options.
      TEXT
      # File and class of each subcommand, which is a method of the class.
      SUBCOMMANDS = {
        "stats" => :Overview, "queues" => :Overview, "processes" => :Overview, "check" => :Overview,
        "metrics" => :Monitoring, "scaling" => :Monitoring,
        "list" => :Listing, "show" => :Listing, "workflow" => :Workflow,
        "flows" => :Durable, "flow" => :Durable,
        "enqueue" => :Change, "retry" => :Change, "kill" => :Change, "delete" => :Change,
        "move" => :Change,
        "drain" => :Administration, "pause" => :Administration, "resume" => :Administration,
        "order" => :Administration,
        "recurring" => :Recurring, "export" => :Transfer, "import" => :Transfer,
        "explain" => :Explanation, "keys" => :Encryption, "reencrypt" => :Encryption
      }.freeze

      private

      def run(name = nil, *arguments)
        return help unless name
        kind = (name == "import" && @options[:from]) ? :Import : kind(name)
        Flags.check(@options, name)
        @options[:store] ||= @options[:to] if kind == :Import
        require_relative "jobs/#{kind.downcase}"
        subcommand = self.class.const_get(kind, false).new(@options, @out, @err)
        Options.check_arguments(subcommand.method(name), arguments, prefix: "#{name} ")
        subcommand.public_send(name, *arguments)
      end

      def parse(argv)
        super.tap { |arguments| @subcommand = arguments.first }
      end

      def help
        return super unless @subcommand

        kind(@subcommand)
        require_relative "jobs/page"
        @out.puts Page.text(@subcommand)
        OK
      end

      def kind(name)
        SUBCOMMANDS[name] or
          raise ConfigError, "raffia jobs has no command " \
            "#{name}.#{Options.guess(name, SUBCOMMANDS.keys)} `raffia help jobs` lists all."
      end

      def define(parser) = Flags.define(parser, @options)
    end
  end
end

require_relative "jobs/flags"
