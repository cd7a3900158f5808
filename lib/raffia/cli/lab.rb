# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia lab`: the tour, the list, single experiments and those of one's own, and comparisons
    # of results.
    module Lab
      # The ways to call it.
      USAGE = <<~TEXT
        Usage: raffia lab [OPTIONS] [COMMAND [ARGUMENTS]]

          (no command)           a tour of all experiments, three minutes on two cores
          list [FILE...]         what there is, in the lab or in a file
          run NAME|FILE...       single experiments at their published size, or your own
          new NAME               write NAME.rb, an experiment of your own to start from
          compare OLD NEW        two files of --json: what is better now, what worse
      TEXT

      def self.summary = "measure every strategy on this machine, on real work"

      # @param out [IO] the report goes here
      # @param err [IO] progress goes here
      # 0; 1 when a result was wrong, or worse than the one that it is compared with; 130 after
      # Ctrl-C.
      # @raise [ConfigError] when what is asked for makes no sense; nothing was run then
      def self.call(argv, out: $stdout, err: $stderr)
        options = {}
        names = parser(options).parse(argv)
        return help(out) if options.delete(:help)
        require_relative "lab/command"
        Command.new(out, err).call(names, options, argv)
      end

      class << self
        private

        def help(out)
          out.puts parser({})
          OK
        end

        def parser(options)
          Options.parser(USAGE, 22) do |o|
            o.separator ""
            selection(o, options)
            o.separator ""
            comparison(o, options)
            o.separator ""
            o.on("--json FILE", "write all of it, each run included, as JSON") do |path|
              options[:json] = path
            end
            o.on("--html FILE", "write a page with charts") { |path| options[:html] = path }
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end

        def comparison(parser, options)
          parser.on("--ruby PATH,...", Array, "do it on these Rubies, side by side; each",
            "PATH may have options behind it") { |list| options[:ruby] = list }
          parser.on("--against FILE", "compare with an earlier --json; exit code 1",
            "when something is worse") { |path| options[:against] = path }
          parser.on("--tolerance PERCENT", Float,
            "changes up to that size are no changes (0)") do |percent|
              options[:tolerance] = percent
            end
        end

        def selection(parser, options)
          parser.separator "Only with run:"
          parser.on("--on STRATEGY,...", Array, "inline, fibers, threads, ractors, processes;",
            "http: its back ends") { |list| options[:on] = list }
          parser.on("--workers N,...", Array, "numbers of workers; the default depends on",
            "the experiment") { |list| options[:workers] = list }
          parser.on("--runs N", Integer, "of each row, in a process of its own each (5)") do |count|
            options[:runs] = count
          end
          parser.on("--scale X", Float, "size of the work; 1 is the published size (1)") do |scale|
            options[:scale] = scale
          end
          parser.on("--seed N", Integer, "of the order of the runs; the report tells it") do |seed|
            options[:seed] = seed
          end
        end
      end
    end
  end
end
