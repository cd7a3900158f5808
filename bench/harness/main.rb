# frozen_string_literal: true

require "fileutils"
require_relative "campaign"
require_relative "options"
require_relative "page"
require_relative "report"

module Bench
  # Runs a suite, keeps what it found, and shows it; or writes its tables into docs/performance.md
  # from what was kept last.
  class Main
    # A smoke run's figures mean nothing, so they are not kept among the results.
    FOLDERS = {true => File.join(Run::ROOT, "tmp/bench"),
               false => File.join(Run::ROOT, "bench/results")}.freeze

    def initialize(suite, page: Page)
      @suite = suite
      @page = page
    end

    def call(arguments, env)
      case arguments
      when [] then measure(Options.from(@suite, env)) { |summary| Report.new(summary) }
      when ["--json"]
        measure(Options.from(@suite, env)) { |summary| JSON.pretty_generate(summary.data) }
      when ["page"] then @page.new(summary(false)).write
      else abort "bench:#{@suite.name}: it takes nothing, --json, or page; what to run comes " \
        "from the environment, see #{@suite.main}"
      end
    end

    private

    def measure(options)
      save(Campaign.new(@suite, options).call, file(options.quick))
      summary = summary(options.quick)
      puts yield(summary)
      exit false if options.quick && summary.ours_failed?
    end

    def summary(quick)
      Summary.new(@suite, JSON.parse(File.read(file(quick)), symbolize_names: true))
    end

    def file(quick) = File.join(FOLDERS[quick], "#{@suite.name}-#{RUBY_VERSION}.json")

    def save(data, path)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, JSON.pretty_generate(data))
      warn "written to #{path}"
    end
  end
end
