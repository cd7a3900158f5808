# frozen_string_literal: true

require "etc"
require "json"
require "optparse"

module Conformance
  # `bin/conformance [options] [NAME...]`.
  class Command
    MODES = [*Suite::RAFFIA_MODES, "async"].freeze
    USAGE = <<~TEXT
      usage: bin/conformance [options] [SUITE]...

      Fetches the tests of other people's libraries, runs them plain, under Raffia on each back end
      and under async, and prints what fails on Raffia alone. Without a SUITE: all of them, which
      takes up to an hour. Status 1: something does, and no reason is known.

    TEXT

    def initialize(arguments, out: $stdout, err: $stderr, cache: Cache.new)
      @arguments = arguments
      @out = out
      @err = err
      @cache = cache
      @options = {page: true}
    end

    # @return [Integer] the exit status
    def call
      names = parser.parse(@arguments)
      return list if @options[:list]

      return apps(names) if @options[:apps]

      suites = choose(names)
      return @cache.lock { fetch(suites) } if @options[:fetch]

      results = @cache.lock { run(suites) }
      results.all?(&:passed?) ? 0 : 1
    rescue Error, OptionParser::ParseError => error
      @err.puts "conformance: #{error.message}"
      2
    end

    private

    def parser
      OptionParser.new(USAGE) do |options|
        options.on("--list", "the suites, with their versions") { @options[:list] = true }
        options.on("--quick", "the short selection of CI") { @options[:quick] = true }
        options.on("--on MODES", Array, "only these of #{MODES.join(", ")}") do |modes|
          @options[:modes] = modes
        end
        options.on("--[no-]page", "write docs/conformance.md (not with --on)") do |write|
          @options[:page] = write
        end
        options.on("--jobs N", Integer, "suites at once (2, where there are two cores)") do |number|
          @options[:jobs] = number
        end
        options.on("--apps", "generated applications, on Raffia and on Puma") {
          @options[:apps] = true
        }
        options.on("--fetch", "fetch what they need, run nothing") { @options[:fetch] = true }
        options.on("--json", "JSON on stdout, progress on stderr") { @options[:json] = true }
        options.on("-h", "--help", "this text") { @out.puts(options) || exit }
      end
    end

    def catalogue = @catalogue ||= Catalogue.new

    def choose(names)
      unknown = Array(@options[:modes]) - MODES
      raise Error, "--on takes #{MODES.join(", ")}, not #{unknown.join(", ")}" if unknown.any?

      (@options[:quick] && names.empty?) ? catalogue.quick : catalogue.choose(names)
    end

    def list
      catalogue.suites.each { |suite|
        @out.puts "#{suite.name.ljust(28)}#{suite.version}#{" (quick)" if suite.quick?}"
      }
      0
    end

    def say = ->(line) { (@options[:json] ? @err : @out).puts(line) || @out.flush }

    def apps(names)
      Apps.choose(names)
      verdicts = @cache.lock { Apps.new(@cache, say).call(names) }
      AppPage.new.write(verdicts, Apps::ALL.keys) if @options[:page]
      verdicts.all?(&:passed?) ? 0 : 1
    end

    # @return [Integer] the exit status
    def fetch(suites)
      failed = suites.select do |suite|
        Source.fetch(suite.tests, @cache)
        Gems.new(suite, @cache).env
        @out.puts("fetched #{suite.name}") || @out.flush
        false
      rescue Error => error
        @err.puts("#{suite.name}: #{error.message}")
        true
      end
      failed.empty? ? 0 : 1
    end

    # More than two disturb the tests that count on time.
    def jobs = (@options[:jobs] || [Etc.nprocessors, 2].min).clamp(1, 64)

    def run(suites)
      campaign = Campaign.new(cache: @cache, modes: @options[:modes], jobs: jobs, say: say)
      results = campaign.call(suites) do |result|
        Report.new([result]).lines.each(&say)
        save(result)
      end
      finish(results)
    end

    # After each suite, so that a run that is broken off has not been for nothing.
    def save(result)
      return if result.is_a?(Campaign::Failure) || !@options[:page] || @options[:modes]

      Page.new.write([result], catalogue.names)
    end

    def finish(results)
      report = Report.new(results)
      @options[:json] ? @out.puts(JSON.pretty_generate(report.data)) : summary(results, report)
      results
    end

    def summary(results, report)
      good = results.count(&:passed?)
      @out.puts "",
        "#{good} of #{results.size} suites have nothing that fails on Raffia alone without a reason"
      @out.puts "What does:", *report.lines.map { |line| "  #{line}" } if good < results.size
      @out.puts "The longest: #{report.longest.join(", ")}"
      @out.puts "Logs: #{@cache.path("work")}"
    end
  end
end
