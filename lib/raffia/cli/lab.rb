# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia lab`: the tour, the list, experiments of the lab and of users, and comparisons of
    # results. Arguments are checked before anything runs.
    #
    # @api private
    class Lab < Command
      SUMMARY = "measure every strategy on this machine, on real work"
      USAGE = <<~TEXT
        Usage: raffia lab [OPTIONS] [COMMAND [ARGUMENTS]]

          (no command)           a tour of all experiments, three minutes on two cores
          list [FILE...]         what there is, in the lab or in a file
          run NAME|FILE...       single experiments at their published size, or your own
          new NAME               write NAME.rb, an experiment of your own to start from
          compare OLD NEW        two files of --json: what is better now, what worse
      TEXT
      WIDTH = 22
      UNKNOWN = "raffia lab knows list, run, new and compare, not %s. To run an experiment: " \
        "raffia lab run NAME"

      private

      def define(parser)
        run_options(parser)
        parser.separator ""
        comparison_options(parser)
        parser.separator ""
        parser.on("--json FILE", "write all of it, each run included, as JSON") do |path|
          @options[:json] = path
        end
        parser.on("--html FILE", "write a page with charts") { |path| @options[:html] = path }
      end

      def run_options(parser)
        parser.separator "Only with run:"
        parser.on("--on STRATEGY,...", Array, "inline, fibers, threads, ractors, processes;",
          "http: its back ends") { |list| @options[:on] = list }
        parser.on("--workers N,...", Array, "numbers of workers; the default depends on",
          "the experiment") { |list| @options[:workers] = list }
        parser.on("--runs N", Integer, "of each row, in a process of its own each (5)") do |count|
          @options[:runs] = count
        end
        parser.on("--scale X", Float, "size of the work; 1 is the published size (1)") do |scale|
          @options[:scale] = scale
        end
        parser.on("--seed N", Integer, "of the order of the runs; the report has it") do |seed|
          @options[:seed] = seed
        end
      end

      def comparison_options(parser)
        parser.on("--ruby PATH,...", Array, "do it on these Rubies, side by side; each",
          "PATH may have options behind it") { |list| @options[:ruby] = list }
        parser.on("--against FILE", "compare with an earlier --json; exit code 1",
          "when something is worse") { |path| @options[:against] = path }
        parser.on("--tolerance PERCENT", Float,
          "changes up to that size are no changes (0)") do |percent|
            @options[:tolerance] = percent
          end
      end

      def run(verb = nil, *names)
        require_relative "../lab"
        require_relative "lab/output"
        case verb
        when "list" then list(names)
        when "new" then create(names)
        when "compare" then compare(names)
        when nil, "run" then measure(verb, names)
        else raise ConfigError, format(UNKNOWN, verb)
        end
      end

      def list(names)
        experiments = Raffia::Lab::EXPERIMENTS.values
        experiments = Raffia::Lab::Catalog.find(names) unless names.empty?
        width = experiments.map { |experiment| experiment.name.size }.max
        experiments.each do |experiment|
          variants = [*experiment.variants, *(experiment.controls.keys if experiment.defined_in)]
          facts = [experiment.size(experiment.params(1.0)), "on #{variants.join(", ")}"]
          @out.puts "#{experiment.name.ljust(width)}  #{experiment.title}",
            "#{" " * width}  #{facts.reject(&:empty?).join("; ")}"
        end
        OK
      end

      def create(names)
        require_relative "lab/scaffold"
        Scaffold.new(@out).call(names)
      end

      def compare(paths)
        other = @options.keys - [*Output::FILES, :tolerance]
        if other.any?
          raise ConfigError, "--#{other.first} goes with raffia lab run; compare takes two " \
            "files and --tolerance, --json, --html"
        end
        output = Output.new(@out, @options)
        unless paths.size == 2
          raise ConfigError, "raffia lab compare needs two files: raffia lab compare OLD.json " \
            "NEW.json"
        end
        before, after = paths.map { |path| Raffia::Lab::Report::Document.read(path) }
        report = output.compared(before, after)
        output.write(report)
        output.worse?(report) ? FAILED : OK
      end

      def measure(verb, names)
        require_relative "lab/measurement"
        Measurement.new(@out, @err, @options, @argv).call(verb, names)
      end
    end
  end
end
