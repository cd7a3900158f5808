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
        --older-than and --match; --dry-run only counts.
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
        kind = (name == "import" && @options[:from]) ? :Import : SUBCOMMANDS[name]
        kind or
          raise ConfigError, "raffia jobs has no command " \
            "#{name}.#{Options.guess(name, SUBCOMMANDS.keys)} `raffia help jobs` lists all."
        @options[:store] ||= @options[:to] if kind == :Import
        require_relative "jobs/#{kind.downcase}"
        subcommand = self.class.const_get(kind, false).new(@options, @out, @err)
        Options.check_arguments(subcommand.method(name), arguments, prefix: "#{name} ")
        subcommand.public_send(name, *arguments)
      end

      def define(parser)
        @options.update(offset: 0, limit: 50)
        parser.on("-s", "--store URL", "where jobs are kept; RAFFIA_STORE,",
          "or sqlite:raffia.db") { |url| @options[:store] = url }
        parser.on("-r", "--require FILE", "load this first, such as job classes, or",
          "the Rails application in a folder") { |file| (@options[:require] ||= []) << file }
        parser.on("--json", "answer in JSON") { @options[:json] = true }
        parser.on("--limit N", "list: so many (50)") do |text|
          @options[:limit] = Options.count(text, least: 0)
        end
        parser.on("--offset N", "list: from there on (0)") do |text|
          @options[:offset] = Options.count(text, least: 0)
        end
        parser.on("--reveal", "show: hidden arguments, too; encrypted ones",
          "need the keys (-r)") do
          @options[:reveal] = true
        end
        parser.on("--match TEXT", "only jobs with this in them") { |text| @options[:match] = text }
        parser.on("--all SET", "all of a set: dead, retry, queue:NAME") do |set|
          @options[:all] = set
        end
        parser.on("-q", "--queue NAME", "only jobs of this queue; enqueue: to it") do |queue|
          @options[:queue] = queue
        end
        define_filters(parser)
        parser.on("--in SECONDS", "enqueue: not before") do |text|
          @options[:in] = Options.seconds(text)
        end
        {target: "seconds until jobs begin (60)", slots: "jobs at a time of a worker",
         min: "workers at least (0)", max: "workers at most"}.each do |name, text|
          parser.on("--#{name} N", "scaling: #{text}") do |number|
            @options[name] = Options.count(number, least: 0)
          end
        end
        define_import(parser)
      end

      def define_import(parser)
        parser.on("--from GEM", "import: resque, delayed_job, solid_queue,",
          "good_job; URL is its Redis or database") do |gem|
          @options[:from] = gem
        end
        parser.on("--follow", "import: wait for more, until Ctrl-C") { @options[:follow] = true }
        parser.on("--map FILE", "import: a lambda that gets each payload,",
          "and returns the one to store") { |file| @options[:map] = file }
        parser.on("--permit CLASS", "import: of delayed_job's own job objects") do |name|
          (@options[:permit] ||= []) << name
        end
      end

      def define_filters(parser)
        {class: ["NAME", "only jobs of this class"],
         error: ["TEXT", "only failed ones with this error"],
         tenant: ["KEY", "only with this fair or rate key"],
         to: ["QUEUE", "move: there; import: as --store"], rate: ["KEY", "pause, resume: this rate"]}
          .each do |name, (takes, text)|
            parser.on("--#{name} #{takes}", text) { |value| @options[name] = value }
          end
        parser.on("--older-than SECONDS", "only jobs made, or dead, before that") do |text|
          @options[:older_than] = Options.seconds(text)
        end
        parser.on("--dry-run", "count, and change nothing") { @options[:dry_run] = true }
      end
    end
  end
end
