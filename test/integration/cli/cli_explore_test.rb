# frozen_string_literal: true

require_relative "cli_case"
require "json"

module Raffia
  # `raffia explore`: scripts and test files under simulation.
  class CLIExploreTest < CLICase
    LOST_UPDATE = <<~RUBY
      table = {n: 0}
      puts "with \#{ARGV.inspect}"
      2.times.map { Thread.new { table.store(:n, table.fetch(:n) + 1) } }.each(&:join)
      raise "lost an update" unless table[:n] == 2
    RUBY

    TEST = <<~RUBY
      require "minitest/autorun"
      require "raffia/simulation"
      class StockTest < Minitest::Test
        def test_stock
          Raffia::Simulation.explore(name: "stock", command: "make stock") do
            #{LOST_UPDATE.gsub("\n", "\n      ")}
          end.raise!
        end
      end
    RUBY

    # Test files run in processes of their own, which need Raffia, too.
    def raffia(*argv, env: {}) = super(*argv, env: {"RUBYLIB" => File.join(ROOT, "lib"), **env})

    def test_a_script_that_loses_an_update
      ended = raffia "explore", "--seed", "1", script(LOST_UPDATE), "a", "--b"

      assert_equal 1, ended.code
      assert_match(/\Arun \d+ failed with seed \d+: RuntimeError: lost an update\n/, ended.out)
      assert_match(/script\.rb:3 preempted/, ended.out)
      assert_match(/Output of the run:\nwith \["a", "--b"\]/, ended.out)
      assert_match(/^  RAFFIA_SEED=1 raffia explore script.rb a --b$/, ended.out)
      assert_match(/^  RAFFIA_SCHEDULE=rs1:\S+ raffia explore script.rb a --b$/, ended.out)
      refute_match(/\e/, ended.out)
    end

    def test_what_it_prints_runs_the_failure_again
      failure = JSON.parse(raffia("explore", "--json", script(LOST_UPDATE)).out)["failure"]
      File.write(File.join(@dir, "one.rs1"), failure["schedule"])
      again = JSON.parse(raffia("explore", "--json", "--schedule", "one.rs1", "script.rb").out)

      assert_equal [1, failure["schedule"]], [again["runs"], again["failure"]["schedule"]]
      by_variable = raffia("explore", "script.rb", env: {"RAFFIA_SCHEDULE" => failure["schedule"]})
      assert_equal 1, by_variable.code
      edited = raffia("explore", "--schedule", "one.rs1", script("sleep 1", "edited.rb"))
      assert_equal 1, edited.code
      assert_match(/\Araffia: the run ended after choice 0 of \d+/, edited.err)
    end

    def test_a_seed_gives_the_same_schedule_in_two_processes
      script LOST_UPDATE
      first, second = Array.new(2) { raffia("explore", "--seed", "5", "--json", "script.rb").out }
        .map { |text| JSON.parse(text).except("seconds") }
      assert_equal first, second
    end

    def test_colours_of_a_timeline
      ended = raffia "explore", script(LOST_UPDATE), env: {"RAFFIA_COLOR" => "always"}
      assert_match(/\e\[31m.*preempted/, ended.out)
    end

    def test_a_script_that_passes
      ended = raffia "explore", "--runs", "20", script("sleep 3600; puts 1; exit")

      assert_match(/\A20 runs passed in \d+\.\d s, seed \d+\n\z/, ended.out)
      assert_equal ["", 0], [ended.err, ended.code]
    end

    def test_a_corpus_and_a_report_of_a_script
      options = %w[--corpus corpus --report pages]
      ended = raffia("explore", *options, script(LOST_UPDATE))
      files = ended.out.scan(/^written: (.*)/).flatten

      assert_equal %w[corpus pages], files.map { |path| File.dirname(path) }
      assert(files.all? { |path| File.exist?(File.join(@dir, path)) })
      assert_match(/\Arun 0 failed/, raffia("explore", *options, "script.rb").out)
    end

    def test_errors_of_the_command_line
      script "1"
      {[] => /needs a script or test files/, %w[none.rb] => /none\.rb does not exist/,
       %w[--runs x script.rb] => /--runs x: use a whole number/,
       %w[--strategy best script.rb] => /invalid argument: --strategy best: use fifo, random, /,
       %w[--minutes x script.rb] => /--minutes x: use minutes/,
       %w[--schedule none script.rb] => /the schedule none cannot be read/,
       %w[--schedule rs1:x script.rb] => /no schedule of this version/, %w[.] => /no test files in/}
        .each do |arguments, message|
          ended = raffia("explore", *arguments)
          assert_match message, ended.err
          assert_equal ["", 2], [ended.out, ended.code], arguments.inspect
        end
    end

    def test_ctrl_c
      path = script("$began = sleep(1)", "long.rb")
      code = "Thread.new { sleep(0.01) until $began; Process.kill(:INT, Process.pid) }; " \
        "load #{EXECUTABLE.inspect}"
      ended = ruby("-e", code, "--", "explore", "--minutes", "5", path)

      assert_match(/interrupted after \d+ runs without a failure, seed \d+/, ended.err)
      assert_equal 130, ended.code
    end

    def test_ctrl_c_while_a_failure_is_shrunk
      script(<<~RUBY)
        2.times.map { |n| Thread.new { sleep(n) } }.each(&:join)
        $runs = $runs.to_i + 1
        Process.kill(:INT, Process.pid) && loop { Integer.sqrt(2) } if $runs == 5
        raise "broken"
      RUBY
      text, json = [[], ["--json"]].map { |options| raffia("explore", *options, "script.rb") }

      assert_match(/\Arun 1 failed with seed \d+: RuntimeError: broken\n\nseconds/, text.out)
      assert_match(/^  RAFFIA_SCHEDULE=rs1:\S+ raffia explore script.rb$/, text.out)
      assert_match(/interrupted before a shorter schedule was found/, text.err)
      data = JSON.parse(json.out)
      assert_equal [true, 1, "broken"], [data["interrupted"], data["runs"], data["failure"]["message"]]
      assert_equal [130, 130], [text.code, json.code]
    end

    def test_warnings
      script(<<~RUBY)
        one, two = Mutex.new, Mutex.new
        first = Thread.new { one.synchronize { two.synchronize { 1 } } }
        sleep(1)
        Thread.new { two.synchronize { one.synchronize { 1 } } }.join
        first.join
      RUBY
      ended = raffia("explore", "--runs", "3", "script.rb")

      assert_match(/\A3 runs passed in .*\nwarning: lock order: script.rb:2 /, ended.out)
      assert_equal 0, ended.code
      data = JSON.parse(raffia("explore", "--json", "--runs", "3", "script.rb").out)
      assert_equal 1, data["warnings"].size
    end

    def test_a_failure_of_test_files_is_kept_in_a_corpus
      script TEST, "stock_test.rb"
      script TEST.sub("unless", "if false unless"), "good_test.rb"
      ended = raffia("explore", "stock_test.rb", "good_test.rb", "--runs", "500")

      assert_match(/\Astock_test\.rb failed:\n.*RuntimeError: lost an update/m, ended.out)
      assert_match(/^  RAFFIA_SCHEDULE=rs1:\S+ make stock$/, ended.out)
      assert_match(/^2 passes of 2 files in .* s, 1 failed, seed \d+$/, ended.out)
      assert_match(/^new in the corpus: (\S+\.rs1)$/, ended.out)
      assert_equal 1, ended.code
      assert_equal 1, Dir[File.join(@dir, "tmp/simulation/*.rs1")].size
    end

    # It fails in its third process.
    def test_with_minutes_test_files_run_again_and_again
      script <<~RUBY, "third_test.rb"
        File.write("passes", "x", mode: "a")
        raise "third" if File.size("passes") == 3
        require "minitest/autorun"
      RUBY
      ended = raffia("explore", "third_test.rb", "--minutes", "10")

      assert_match(/\Athird_test\.rb failed:\n.*third/m, ended.out)
      assert_match(/^3 passes of 1 files in .* s, 1 failed, seed \d+$/, ended.out)
      assert_equal 1, ended.code
    end

    def test_the_time_ends_a_pass
      script "sleep", "endless_test.rb"
      ended = raffia("explore", "endless_test.rb", "--minutes", "0.01")

      assert_match(/\A0 passes of 1 files in .* s, 0 failed, seed \d+$/, ended.out)
      assert_equal 0, ended.code
    end

    def test_the_corpus_of_tests_runs_first
      script TEST, "stock_test.rb"
      first, second = Array.new(2) { JSON.parse(raffia("explore", "--json", "stock_test.rb").out) }

      assert_equal [1, 0], [first, second].map { |data| data["new"].size }
      assert_match(/run 0 failed/, second["files"].first["output"])
      assert_equal [[1, true]] * 2,
        [first, second].map { |data| data["files"].first.values_at("passes", "failed") }
    end

    def test_a_folder_of_tests_that_pass
      FileUtils.mkdir(File.join(@dir, "test"))
      script "require 'minitest/autorun'", "test/a_test.rb"
      script "raise 'no test'", "test/helper.rb"
      ended = raffia("explore", "test")

      assert_match(/\A1 passes of 1 files in .* s, 0 failed/, ended.out)
      assert_equal 0, ended.code
    end

    MIXED = <<~RUBY
      require "minitest/autorun"
      require "raffia/simulation/minitest"

      class MixedTest < Minitest::Test
        include Raffia::Simulation::Minitest

        def teardown = File.write("log", "\#{name}\n", mode: "a")

        simulate("whole", runs: 2) { sleep(1) }
        def test_part = simulate(runs: 2) { sleep(1) }
        def test_by_a_helper = twice { sleep(1) }
        def test_direct = assert(Raffia::Simulation.run { true })
        def test_ordinary = assert_equal(3, sum)

        private

        def sum = 1 + 2
        def twice(&block) = simulate(runs: 2, &block)
      end
    RUBY

    def test_only_tests_that_simulate_run
      script MIXED, "mixed_test.rb"
      ended = raffia("explore", "mixed_test.rb")

      assert_equal 0, ended.code, ended.out
      log = File.readlines(File.join(@dir, "log"), chomp: true)
      assert_equal %w[test_by_a_helper test_direct test_part test_whole], log.uniq.sort
    end

    def test_only_examples_that_simulate_run
      missing = Gem::Specification.find_all_by_name("rspec-core").empty?
      skip "the gem rspec-core is not installed (bin/setup)" if missing

      script <<~RUBY, "mixed_spec.rb"
        require "raffia/simulation/rspec"
        RSpec.describe "mixed" do
          after { |example| File.write("log", "\#{example.description}\n", mode: "a") }
          it("whole", simulate: {runs: 2}) { sleep(1) }
          it("part") { simulate(runs: 2) { sleep(1) } }
          it("ordinary") { expect(1 + 2).to eq(3) }
        end
      RUBY
      ended = raffia("explore", "mixed_spec.rb")

      assert_equal 0, ended.code, ended.out
      assert_equal %w[part whole],
        File.readlines(File.join(@dir, "log"), chomp: true).uniq.sort, ended.out
    end
  end
end
