# frozen_string_literal: true

require "stringio"
require "raffia/lab/comparison"
require "raffia/lab/interpreter"
require "raffia/lab/report/document"
require "raffia/lab/report/page"
require "raffia/lab/report/text"
require_relative "outcome_case"

module Raffia
  module Lab
    class ReportTest < OutcomeCase
      WIDE = Report::Screen.new(width: 120, color: false, unicode: true)
      NARROW = Report::Screen.new(width: 60, color: false, unicode: true)
      ENVIRONMENT = {raffia: "0.1.0", commit: nil, ruby: "ruby 3.4.5", yjit: false, kernel: "Linux",
                     cpu: "a <fast> one", cores: 2,
                     governor: nil, memory: 24 << 30, backend: "epoll", nofile: [1_024, 4_096],
                     load: 0.5}.freeze

      def test_the_table_says_everything_when_there_is_room
        lines = text(outcome).lines.map(&:chomp)
        assert_equal "on                workers  median  spread      min - max      vs inline  " \
          "per core     CPU  peak PSS     published",
          lines[2]
        assert_equal "inline                  1  4.00 s    2.5%  3.90 - 4.10 s       1 (base)    " \
          "     -  4.00 s   20.0 MB  1.00x 8.17 s",
          lines[3]
        assert_equal "threads                 2  4.00 s    1.2%  3.95 - 4.05 s  noise (1.00x)    " \
          "   50%  4.00 s   20.0 MB", lines[4]
        assert_equal "processes               2  2.05 s    2.4%  2.00 - 2.10 s          1.95x    " \
          "   98%  4.00 s   20.0 MB", lines[8]
      end

      def test_no_line_is_wider_than_the_screen
        [40, 60, 80, 100, 120].each do |width|
          lines = text(outcome, Report::Screen.new(width:, color: false, unicode: true)).lines
            .map(&:chomp)
          assert_empty lines.select { |line| line.size > width }, "at #{width}"
        end
      end

      def test_what_matters_most_stays_on_a_narrow_screen
        assert_includes text(outcome, NARROW),
          "on                workers  median  spread      vs inline"
        assert_includes text(outcome, NARROW.with(width: 80)),
          "spread      vs inline  per core  peak PSS\n"
      end

      def test_rubies_stand_beside_each_other
        told = text(rubies, NARROW.with(width: 80))
        assert_includes told, "on                workers  ruby   vs 3.4.5  median  spread      " \
          "vs inline\n"
        assert_includes told, "inline                  1  3.3.8     0.50x  8.00 s    2.5%       " \
          "1 (base)\n"
        assert_includes told, "processes (3.3.8)"
        assert_includes told, "goal met: processes at least 0.85x independent programs, on Ruby " \
          "3.4.5 (1.00)"
      end

      def test_a_single_run_is_called_one
        single = SECONDS.transform_values { |list| list.first(1) }
        assert_match(/^processes +2  2\.00 s  2\.00 - 2\.00 s +1 run \(2\.00x\)/,
          text(outcome(seconds: single)))
        refute_includes text(outcome(seconds: single)), "noise"
      end

      def test_what_has_changed
        slower = outcome(seconds: SECONDS.transform_values { |list|
          list.map { |seconds| seconds * 2 }
        })
        documents = [outcome, slower].map { |one| Report::Document.normal(document([one])) }
        comparison = Comparison.new(*documents).to_h
        out = StringIO.new
        Report::Text.new(out, WIDE).comparison(comparison)
        assert_includes out.string, "Against the result of 1970-01-01T00:00:00Z: 10 worse."
        assert_match(/^processes +2  2\.05 s  4\.10 s  0\.50x \(0\.\d\d - 0\.\d\d\)  worse/,
          out.string)
        page = Report::Page.of({**document([slower]), comparison:})
        assert_includes page, "What has changed"
        assert_equal 10, page.scan(/<tr class="worse(?: control)?">/).size
      end

      def test_the_page_carries_its_json
        data = document([outcome])
        link = Report::Page.of(data)[/base64,([^"]+)"/, 1]
        assert_equal Report::Document.json(data), link.unpack1("m0")
      end

      def test_the_best_of_several_experiments
        told = closing([outcome, {**outcome(seconds: {}), name: "other"}])
        assert_match(
          /^experiment  result +best +median +speed-up \(95% interval\)  peak PSS  goals *$/, told
        )
        assert_match(
          Regexp.new('^squares +right +processes x2  2\.05 s  1\.95x \(1\.86 - 2\.05\) ' \
            'vs inline +20\.0 MB +2 of'), told
        )
        assert_match(/^other       not checked  - +- +- +-  -$/, told)
        refute_includes closing([outcome]), "experiment "
        assert_match(/^squares     right   - /, closing([{**outcome, baseline: ""}] * 2))
        assert_equal ["1.50x", "1.50x (1.40 - 1.60)", "-"],
          [{value: 1.5, low: 1.5, high: 1.5}, {value: 1.5, low: 1.4, high: 1.6},
            nil].map { |ratio| Report::Format.interval(ratio) }
      end

      def test_bars_are_in_proportion
        bars = Report::Bars.of(outcome, 60)
        full = ->(label) { bars.find { |name, _| name.strip == label }[1].count("█▏▎▍▌▋▊▉") }
        assert_in_delta full["inline"] / 2.0, full["processes x2"], 1.5
        assert_equal 10, bars.size
      end

      def test_bars_without_unicode
        assert Report::Bars.of(outcome, 60, unicode: false)
          .all? { |_, bar, _| bar.match?(/\A#+-* *\z/) }
      end

      def test_colour_only_where_it_is_wanted
        refute_includes text(outcome), "\e["
        assert_includes text(outcome, WIDE.with(color: true)), "\e[36m"
      end

      def test_published_figures_checks_and_goals_are_told
        told = text(outcome)
        assert_includes told, "4 Ractors 3.48x 2.35 s, 7 Ractors 4.28x 1.91 s"
        assert_includes told, "(Ryzen 2700X, Ruby 3.0-preview)"
        assert_includes told, "right: the sum equals the formula's\ngoal met: processes at least " \
          "0.85x independent programs (1.00)"
      end

      def test_what_failed_or_was_skipped_is_told_with_its_reason
        told = text(outcome(threads: {error: "it fell over"}))
        assert_match(/^threads +2 +failed/, told)
        assert_includes told, "threads x2 failed: it fell over"
        assert_includes closing([outcome(threads: {error: "it fell over"})]),
          "FAILED, at least in part: squares"
        assert_includes closing([outcome(seconds: {})]), "nothing was checked in squares"
        assert_equal "right results in squares\n", closing([outcome])
      end

      def test_an_interrupted_report_says_so
        assert_includes text(outcome(finished: false)), "; INTERRUPTED, this is what was"
        assert_includes closing([outcome(finished: false)]),
          "Stopped: the above is what was finished."
      end

      def test_the_environment
        out = StringIO.new
        Report::Text.new(out, NARROW).environment(ENVIRONMENT)
        assert_equal "Raffia    0.1.0\nRuby      ruby 3.4.5, YJIT off\nmachine   2 cores of a " \
        "<fast> one, Linux, load 0.5 before\n" \
          "          the first run\nback end  epoll\n\n", out.string
      end

      def test_ractors_that_this_ruby_slows_down
        out = StringIO.new
        Report::Text.new(out, WIDE).environment(ENVIRONMENT.merge(ractors: "slowed down"))
        assert_includes out.string, "Ractors   slowed down\n"
      end

      def test_a_busy_machine_is_said_to_be_busy
        out = StringIO.new
        Report::Text.new(out, WIDE).environment(ENVIRONMENT.merge(load: 1.4))
        assert_includes out.string, "The machine is busy (load 1.4)"
      end

      def test_figures_in_words
        assert_equal ["1.23 s", "12.3 s", "123 s", "1.23 ms", "123 ms", "1.00 s", "0.100 ms",
          "54,680 req/s", "-"],
          [1.234, 12.34, 123.4, 0.001234, 0.1234, 0.9997,
            0.0001].map { |value| Report::Format.figure(value, "s") } +
            [Report::Format.figure(54_680.4, "requests/s"), Report::Format.figure(nil, "s")]
        assert_equal ["20.0 MB", "23.5 GB", "-"],
          [20 << 20, 24_064 << 20, nil].map { |value| Report::Format.bytes(value) }
      end

      def test_the_document
        document = document([outcome])
        assert_equal({"squares" => true}, document[:checks])
        assert_equal "raffia lab run squares", document[:command]
        assert_equal %w[schema command started_at seconds interrupted seed environment checks
          experiments],
          JSON.parse(Report::Document.json(document)).keys
      end

      def test_the_page_stands_alone
        page = Report::Page.of(document([outcome]))
        refute_match(/<script|<link|src=|@import|https?:|url\((?!#)/, page.sub(/base64,[^"]+/, ""))
        assert_includes page, "prefers-color-scheme: dark"
        assert_includes page, "a &lt;fast&gt; one"
        assert_equal 5, page.scan("<figure").size
        assert_includes page, "published: 4 Ractors, Ryzen 2700X<"
      end

      def test_the_same_data_give_the_same_page
        data = document([outcome])
        assert_equal Report::Page.of(data), Report::Page.of(Marshal.load(Marshal.dump(data)))
      end

      def test_a_page_of_nothing
        page = Report::Page.of(document([outcome(seconds: {}, finished: false)], interrupted: true))
        assert_includes page, "Interrupted: this is what was finished."
        refute_includes page, "<figure"
      end

      def test_the_page_is_well_formed
        page = Report::Page.of(document([outcome]))
        open = page.scan(/<(\w+)[^>]*?(?<!\/)>/).flatten.tally.except("meta")
        assert_equal open.except("rect", "line", "path", "circle"),
          page.scan(%r{</(\w+)>}).flatten.tally
      end

      private

      # The squares on two Rubies, of which the second takes twice as long.
      def rubies
        list = %w[3.4.5 3.3.8].map do |label|
          Interpreter.new(command: ["ruby"], label:, version: label, description: label,
            yjit: false)
        end
        selection, = Plan.of(["squares"], runs: 3, cores: 2, rubies: list)
        results = selection.cells.to_h do |cell|
          [cell,
            SECONDS.fetch([cell.variant, cell.workers])
              .map { |seconds| result(seconds * ((cell.ruby == list.last) ? 2 : 1), {}) }]
        end
        Outcome.of(Rows.new(selection, results, {}, 2), finished: true)
      end

      def text(outcome, screen = WIDE)
        out = StringIO.new
        Report::Text.new(out, screen).experiment(outcome)
        out.string
      end

      def closing(outcomes)
        out = StringIO.new
        Report::Text.new(out, WIDE).closing(outcomes)
        out.string
      end

      def document(outcomes, interrupted: false)
        Report::Document.of(outcomes, environment: ENVIRONMENT, interrupted:,
          started: Time.at(0).utc, seed: 1, arguments: %w[run squares])
      end
    end
  end
end
