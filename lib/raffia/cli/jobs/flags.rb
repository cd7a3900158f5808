# frozen_string_literal: true

require_relative "flag"

module Raffia
  module CLI
    class Jobs < Command
      # The options of `raffia jobs`. A subcommand refuses those of others: an ignored --dry-run
      # would change jobs.
      #
      # @api private
      module Flags
        FILTERED = %w[retry kill delete move].freeze

        def self.flag(spelling, texts, value = nil, short: nil)
          texts = {nil => texts} if texts.is_a?(String)
          Flag.new([*short, spelling], texts, value)
        end
        private_class_method :flag

        ALL = [
          flag("--store URL", "where jobs are kept; RAFFIA_STORE, or sqlite:raffia.db",
            short: "-s"),
          flag("--require FILE", "load this first, such as job classes, or the Rails application " \
            "in a folder", :add, short: "-r"),
          flag("--json", "answer in JSON"),
          flag("--limit N", {%w[list workflow flows] => "so many (50)"}, :count),
          flag("--offset N", {%w[list flows] => "from there on (0)"}, :count),
          flag("--reveal", {%w[show] => "hidden arguments, too; encrypted ones need the keys (-r)",
                            %w[flow] => "hidden values, too; encrypted ones stay so"}),
          flag("--match TEXT", {[*FILTERED, "list"] => "only jobs with this in them"}),
          flag("--all SET", {FILTERED => "all of a set: dead, retry, queue:NAME"}),
          flag("--queue NAME", {FILTERED => "only jobs of this queue", %w[enqueue] => "to it",
                                %w[scaling] => "only its backlog"}, short: "-q"),
          flag("--class NAME", {FILTERED => "only jobs of this class"}),
          flag("--error TEXT", {FILTERED => "only failed ones with this error"}),
          flag("--tenant KEY", {FILTERED => "only with this fair or rate key",
                                %w[pause resume drain] => "only jobs with this fair key"}),
          flag("--to QUEUE", {%w[move] => "to this queue", %w[import] => "as --store"}),
          flag("--rate KEY", {%w[pause resume] => "this rate"}),
          flag("--older-than SECONDS", {FILTERED => "only jobs made, or dead, before that"},
            :seconds),
          flag("--dry-run", {[*FILTERED, "import"] => "count, and change nothing"}),
          flag("--in SECONDS", {%w[enqueue] => "not before"}, :seconds),
          flag("--target N", {%w[scaling] => "seconds until jobs begin (60)"}, :count),
          flag("--slots N", {%w[scaling] => "jobs at a time of a worker"}, :count),
          flag("--min N", {%w[scaling] => "workers at least (0)"}, :count),
          flag("--max N", {%w[scaling] => "workers at most"}, :count),
          flag("--from GEM", {%w[import] => "resque, delayed_job, solid_queue, good_job; URL is " \
            "its Redis or database"}),
          flag("--follow", {%w[import] => "wait for more, until Ctrl-C"}),
          flag("--map FILE", {%w[import] => "a lambda that gets each payload, and returns the " \
            "one to store"}),
          flag("--permit CLASS", {%w[import] => "of delayed_job's own job objects"}, :add)
        ].freeze

        module_function

        # Those of a subcommand; nil: all.
        def define(parser, options, subcommand = nil)
          ALL.each do |flag|
            flag.define(parser, subcommand, options) if subcommand.nil? || flag.for?(subcommand)
          end
        end

        # Raises OptionParser::InvalidOption for the first option that the subcommand does not take.
        def check(options, subcommand)
          wrong = ALL.find { |flag| options.key?(flag.name) && !flag.for?(subcommand) } or return

          raise OptionParser::InvalidOption, "#{wrong.long}: `raffia jobs #{subcommand}` has no " \
            "such option"
        end
      end
    end
  end
end
