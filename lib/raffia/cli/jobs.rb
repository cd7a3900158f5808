# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia jobs`: shows the jobs of a store, and changes them.
    module Jobs
      # Usage. Each command is a method of a class of {COMMANDS}.
      USAGE = <<~TEXT
        Usage: raffia jobs [--store URL] COMMAND [ARGUMENTS]

          stats                        how many there are, and what was done
          queues                       the queues, their sizes and latencies
          processes                    the workers, and what each is doing
          list SET                     queue NAME, scheduled, retry, blocked, running or
                               dead
          show JID                     all that is known of one
          enqueue CLASS [JSON...]      one more, with these arguments
          retry JID... | --all SET     to their queue now: scheduled, retry, blocked or
                               dead ones
          kill JID... | --all SET      to the dead ones: of a queue, scheduled or retry
          delete JID... | --all SET    for good
          pause QUEUE, resume QUEUE    whether workers take anything from it
          order WORKER ORDER           quiet, stop, dump, "cancel JID", "trace JID";
                               WORKER as `processes` shows it
          recurring [run|pause|resume|delete NAME]
          export [FILE]                all jobs as lines of JSON
          import [FILE]                what `export` wrote, into this store
          check                        whether all that is kept hangs together
      TEXT
      # Class and file of each command.
      COMMANDS = {
        "stats" => :Overview, "queues" => :Overview, "processes" => :Overview, "check" => :Overview,
        "list" => :Listing, "show" => :Listing,
        "enqueue" => :Change, "retry" => :Change, "kill" => :Change, "delete" => :Change,
        "pause" => :Change, "resume" => :Change, "order" => :Change,
        "recurring" => :Recurring, "export" => :Transfer, "import" => :Transfer
      }.freeze

      def self.summary = "look at background jobs, retry, delete, move them"

      # @param err [IO] for progress
      # Exit code: {FAILED} when there was nothing to change, or `check` found a problem.
      # @raise [ConfigError] for an invalid store or name
      def self.call(argv, out: $stdout, err: $stderr)
        options = {offset: 0, limit: 50}
        name, *rest = parser(options).parse(argv)
        return help(out) if options[:help] || name.nil?

        kind = COMMANDS[name] or
          raise ConfigError, "raffia jobs has no command " \
            "#{name}.#{Options.guess(name, COMMANDS.keys)} `raffia help jobs` lists all."
        command(kind, options, out, err).public_send(name, *arguments(name, kind, rest))
      end

      class << self
        private

        def help(out)
          out.puts parser({})
          OK
        end

        def command(kind, options, out, err)
          require_relative "jobs/context"
          require_relative "jobs/#{kind.downcase}"
          const_get(kind, false).new(Context.new(options, out, err))
        end

        # The wrong number of arguments is a usage error.
        def arguments(name, kind, rest)
          takes = const_get(kind, false).instance_method(name)
          least = takes.parameters.count { |type, _| type == :req }
          most = if takes.arity < 0 && takes.parameters.any? { |type, _| type == :rest }
            nil
          else
            takes.parameters.size
          end
          if rest.size < least
            raise OptionParser::MissingArgument,
              "#{name} #{takes.parameters[rest.size].last.to_s.upcase}"
          end
          raise OptionParser::NeedlessArgument, rest[most] if most && rest.size > most

          rest
        end

        def parser(options)
          Options.parser(USAGE) do |o|
            o.separator ""
            o.on("-s", "--store URL", "where jobs are kept; RAFFIA_STORE,",
              "or sqlite:raffia.db") { |url| options[:store] = url }
            o.on("-r", "--require FILE", "load this first, such as job classes, or",
              "the Rails application in a folder") { |file| (options[:require] ||= []) << file }
            o.on("--json", "answer in JSON") { options[:json] = true }
            o.on("--limit N", "list: so many (50)") do |text|
              options[:limit] = Options.count(text, least: 0)
            end
            o.on("--offset N", "list: from there on (0)") do |text|
              options[:offset] = Options.count(text, least: 0)
            end
            o.on("--match TEXT", "only jobs with this in them") { |text| options[:match] = text }
            o.on("--all SET", "all of a set: dead, retry, queue:NAME") { |set| options[:all] = set }
            o.on("-q", "--queue NAME", "enqueue: to this queue") { |queue| options[:queue] = queue }
            o.on("--in SECONDS", "enqueue: not before") do |text|
              options[:in] = Options.seconds(text)
            end
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end
      end
    end
  end
end
