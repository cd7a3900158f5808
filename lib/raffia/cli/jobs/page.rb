# frozen_string_literal: true

require_relative "flags"

module Raffia
  module CLI
    class Jobs < Command
      # The help page of a subcommand: `raffia jobs retry --help`.
      #
      # @api private
      module Page
        FILTER = "Jobs are named by their ids, or selected by a filter: all given criteria must " \
          "hold. --dry-run tells how many there are."
        # Arguments, text and examples of each subcommand.
        TEXTS = {
          "stats" => ["", "Shows how many jobs are in each state, and how many were processed " \
            "and failed in the last 7 days."],
          "queues" => ["", "Shows each queue: its waiting jobs, the age of the oldest one in " \
            "seconds, and whether it is paused."],
          "processes" => ["", "Shows each worker: its name, its queues, and what it runs."],
          "metrics" => ["", "Prints the state of the store as OpenMetrics text, for Prometheus."],
          "scaling" => ["", "Shows the latency, the backlog, and how many workers they need: the " \
            "signal for an autoscaler.", "--json --slots 10 --max 20"],
          "list" => ["SET [QUEUE]", "Lists jobs of a set: queue NAME, scheduled, retry, blocked, " \
            "running or dead.", "dead --match Timeout", "queue mail --limit 10"],
          "show" => ["JID", "Shows one job with all its fields."],
          "workflow" => ["ID", "Shows the state of a workflow, and its steps."],
          "explain" => ["JID", "Tells why a job is not running: a limit, a rate, turns, a pause, " \
            "no worker of its queue ..."],
          "flows" => ["[STATUS]", "Lists durable functions, of one status: pending, running, " \
            "waiting, stuck, done, failed, cancelled.", "stuck"],
          "flow" => ["ID", "Shows one durable function, and its recorded steps. Values are " \
            "hidden when the class has `redact`, or is not loaded by -r.", "-r ./jobs.rb ID"],
          "enqueue" => ["CLASS [JSON...]", "Enqueues a job with these arguments, and prints its " \
            "id. Load the class by -r, so that its options apply.",
            "-r ./jobs.rb MailJob 7 '\"text\"'"],
          "retry" => ["JID... | FILTER", "Puts scheduled, retried, blocked or dead jobs back to " \
            "their queue. #{FILTER}", "--all dead --class MailJob --error Timeout --dry-run"],
          "kill" => ["JID... | FILTER", "Moves jobs of a queue, scheduled and retried ones to " \
            "the dead set. #{FILTER}", "-q mail --older-than 86400 --dry-run"],
          "delete" => ["JID... | FILTER", "Deletes jobs that do not run, for good. #{FILTER}",
            "--all dead --older-than 604800 --dry-run"],
          "move" => ["JID... | FILTER --to QUEUE", "Moves jobs to another queue; they stay " \
            "waiting, scheduled, retried or dead. #{FILTER}", "-q mail --tenant 7 --to slow"],
          "pause" => ["QUEUE [--tenant KEY] | --rate KEY", "Workers take no more jobs from the " \
            "queue, or of one fair key in it, or start none of the rate, until `resume`."],
          "resume" => ["QUEUE [--tenant KEY] | --rate KEY", "Ends a `pause`."],
          "drain" => ["QUEUE [--tenant KEY]", "Waits until the queue is empty and none of its " \
            "jobs runs, then pauses it. Ctrl-C ends the wait."],
          "order" => ["WORKER ORDER", "Gives a worker an order, which it gets with its next " \
            "heartbeat: quiet, stop, dump, \"cancel JID\", \"trace JID\". `raffia jobs " \
            "processes` shows the workers."],
          "recurring" => ["[run|pause|resume|delete NAME]", "Shows recurring jobs, or changes one.",
            "run nightly"],
          "export" => ["[FILE]", "Writes all jobs as lines of JSON, to the output without FILE. " \
            "Running ones come as waiting ones."],
          "import" => ["[FILE] | --from GEM URL", "Reads what `export` wrote into this store, or " \
            "moves jobs of another gem into it.",
            "--from resque redis://localhost:6379/0 --dry-run"],
          "keys" => ["", "Counts encrypted jobs by the key that they need."],
          "reencrypt" => ["-r FILE", "Encrypts jobs of older keys by the active one. FILE sets " \
            "Raffia::Jobs.keys."],
          "check" => ["", "Looks for damage in the store. Exits with 1 when there is any."]
        }.freeze
        private_constant :FILTER

        module_function

        # Returns the page as text.
        def text(name)
          arguments, text, *examples = TEXTS.fetch(name)
          parser = OptionParser.new("Usage: raffia jobs #{name} #{arguments}".rstrip,
            Command::WIDTH)
          ["", *text.scan(/\S.{0,77}(?=\s|\z)/), "",
            *examples.map { |example| "  raffia jobs #{name} #{example}" },
            *("" if examples.any?)].each { |line| parser.separator(line) }
          Flags.define(parser, {}, name)
          parser.on("-h", "--help", "this page")
          parser.to_s
        end
      end
    end
  end
end
