# frozen_string_literal: true

require "json"
require_relative "../cli/cli_case"

module Raffia
  # `raffia lab` as its users call it, at sizes that take no time.
  class LabTest < CLICase
    def test_a_small_run_of_everything_but_http
      ended = raffia("lab", "run", "mailer", "io_wait", "zlib", "squares", "threads_10k", "--scale",
        "0.004", "--runs", "1",
        "--json", "out.json", "--html", "out.html")
      assert_equal 0, ended.code, ended.out + ended.err
      report = JSON.parse(File.read(File.join(@dir, "out.json")))
      assert_equal %w[mailer io_wait zlib squares threads_10k].to_h { |name| [name, true] },
        report["checks"]
      assert_equal ["ok"], report["experiments"].flat_map { |each| each["rows"] }
        .map { |row| row["status"] }.uniq
      assert_match(/^squares: the sum of the squares/, ended.out)
      assert_includes File.read(File.join(@dir, "out.html")), "<svg"
    end

    def test_auto_beside_the_choices_by_hand
      ended = raffia("lab", "run", "auto", "--on", "arithmetic,fiber_waits", "--scale", "0.1",
        "--runs", "1", "--json", "out.json")
      assert_equal 0, ended.code, ended.out + ended.err
      assert_includes ended.out.gsub(/\s+/, " "), "arithmetic: 200,000 additions. By hand best:"
      rows = JSON.parse(File.read(File.join(@dir, "out.json")))["experiments"].first["rows"]
      assert_equal %w[arithmetic fiber_waits], rows.map { |row| row["variant"] }
      rows.each { |row| assert_operator row.dig("extras", "to_best"), :>, 0 }
    end

    # Errors that wrk sees are wrong results, and so are answers that were not counted.
    def test_http_on_each_back_end
      ended = raffia("lab", "run", "http", "--scale", "0.1", "--runs", "1", "--json", "out.json")
      report = JSON.parse(File.read(File.join(@dir, "out.json")))
      rows = report["experiments"].first["rows"]
      assert_equal 0, ended.code, ended.out + ended.err
      rows.each { |row| assert_includes %w[ok skipped], row["status"], row.inspect }
      rows.select { |row| row["status"] == "ok" }
        .each { |row| assert_equal 0, row.dig("extras", "errors") }
      rows.select { |row| row["status"] == "skipped" }.each { |row| refute_empty row["reason"] }
    end

    def test_http_on_several_cores
      ended = raffia("lab", "run", "http_cores", "--scale", "0.1", "--runs", "1", "--workers", "2",
        "--json", "out.json")
      assert_equal 0, ended.code, ended.out + ended.err
      rows = JSON.parse(File.read(File.join(@dir, "out.json")))["experiments"].first["rows"]
      assert_equal %w[one_loop ractors_handed ractors_sharing processes],
        rows.map { |row| row["variant"] }
      rows.each { |row| assert_includes %w[ok skipped], row["status"], row.inspect }
      rows.select { |row| row["status"] == "ok" }
        .each { |row| assert_equal 0, row.dig("extras", "errors") }
    end

    def test_what_needs_no_further_programs
      ended = raffia("lab", "run", "fan_out", "pipeline", "--scale", "0.02", "--runs", "1",
        "--json", "out.json")
      assert_equal 0, ended.code, ended.out + ended.err
      report = JSON.parse(File.read(File.join(@dir, "out.json")))
      assert_equal({"fan_out" => true, "pipeline" => true}, report["checks"])
      assert_equal ["ok"], report["experiments"].flat_map { |each| each["rows"] }
        .map { |row| row["status"] }.uniq
    end

    # Their results are right, or they say what is missing here.
    def test_what_needs_a_database_a_load_generator_or_a_text
      %w[blocking_db ractor_web wordcount].each do |name|
        ended = raffia("lab", "run", name, "--scale", "0.005", "--runs", "1", "--json", "out.json")
        assert_equal 0, ended.code, ended.out + ended.err
        report = JSON.parse(File.read(File.join(@dir, "out.json")))
        rows = report["experiments"].first["rows"]
        rows.each { |row| assert_includes %w[ok skipped], row["status"], row.inspect }
        rows.select { |row| row["status"] == "skipped" }
          .each { |row| assert_match(/apt-get|gem install|limit/, row["reason"]) }
        refute_equal false, report["checks"][name]
      end
    end

    def test_without_wrk_http_is_skipped_and_not_called_right
      ended = raffia("lab", "run", "http", "--json", "out.json", env: {"PATH" => @dir})
      report = JSON.parse(File.read(File.join(@dir, "out.json")))
      assert_equal [0, {"http" => nil}], [ended.code, report["checks"]], ended.err
      assert_equal ["skipped"], report["experiments"].first["rows"].map { |row| row["status"] }.uniq
      assert_includes ended.out, "wrk is not installed"
      assert_includes ended.out, "nothing was checked in http"
    end

    def test_without_ab_there_is_no_database_started
      ended = raffia("lab", "run", "blocking_db", "ractor_web", "--json", "out.json",
        env: {"PATH" => @dir})
      report = JSON.parse(File.read(File.join(@dir, "out.json")))
      assert_equal [0, {"blocking_db" => nil, "ractor_web" => nil}], [ended.code, report["checks"]],
        ended.err
      rows = report["experiments"].flat_map { |each| each["rows"] }
      assert_equal ["skipped"], rows.map { |row| row["status"] }.uniq
      assert_equal ["ab is not installed; Debian has it in a package: apt-get install " \
        "apache2-utils",
        "wrk is not installed; Debian has it as a package: apt-get install wrk"],
        rows.map { |row| row["reason"] }.uniq
    end

    def test_a_refusal_is_a_sentence_and_no_work
      ended = raffia("lab", "run", "mailer", "--workers", "0", "--json", "out.json")
      assert_equal [2, ""], [ended.code, ended.out]
      assert_equal "raffia: workers: 0 makes no sense: use whole numbers from 1 to 1000\n",
        ended.err
      refute_path_exists File.join(@dir, "out.json")
    end

    MINE = <<~RUBY
      LIMIT = 2_000

      Raffia::Lab.experiment "sums" do
        title "sums of numbers"
        size items: 8
        work { |item| (0..LIMIT).sum { |n| n * item } }
        expect { |size| (0...size[:items]).map { |item| item * LIMIT * (LIMIT + 1) / 2 } }
        control :plain_ractors
      end
    RUBY

    def test_an_experiment_of_ones_own
      ended = raffia("lab", "run", "./#{script(MINE, "sums.rb")}", "--runs", "1", "--workers",
        "1,2", "--json", "out.json", "--html", "out.html")
      assert_equal 0, ended.code, ended.out + ended.err
      experiment = result["experiments"].first
      assert_equal ["sums", "sums of numbers", true, {"items" => 8}],
        experiment.values_at("name", "title", "check", "params")
      assert_equal ["ok"], experiment["rows"].map { |row| row["status"] }.uniq
      assert_equal %w[fibers threads ractors processes plain_ractors],
        experiment["scaling"].map { |each| each["variant"] }
      assert_includes ended.out, "right: the results are as expected"
      assert_includes File.read(File.join(@dir, "out.html")), 'id="sums"'
    end

    def test_one_that_finds_its_results_wrong
      ended = raffia("lab", "run", "./#{script(MINE.sub("LIMIT + 1", "LIMIT"), "sums.rb")}",
        "--runs", "1", "--on", "inline,processes")
      assert_equal 1, ended.code, ended.out
      assert_includes ended.out, "WRONG: the results are as expected"
      assert_includes ended.out, "WRONG RESULTS in sums"
    end

    def test_a_block_that_cannot_go_to_ractors_is_skipped_there_with_the_reason
      wrong = MINE.sub('title "', "cache = {}\n  title \"")
        .sub("(0..LIMIT)", "cache.size; (0..LIMIT)")
      ended = raffia("lab", "run", "./#{script(wrong, "sums.rb")}", "--runs", "1", "--on",
        "inline,ractors", "--json", "out.json")
      assert_equal 0, ended.code, ended.out + ended.err
      inline, ractors, control = result["experiments"].first["rows"]
      assert_equal %w[ok skipped failed], [inline, ractors, control].map { |row| row["status"] }
      assert_match(
        /NotShareable: the block at \S+sums\.rb:\d+ cannot run in another Ractor: it uses cache/,
        ractors["reason"]
      )
    end

    def test_a_work_that_raises_says_where
      ended = raffia("lab", "run",
        "./#{script(MINE.sub("(0..LIMIT)", 'raise("no luck"); (0..LIMIT)'), "sums.rb")}", "--runs",
        "1", "--on", "inline")
      assert_equal 1, ended.code, ended.out
      assert_match(/inline failed: RuntimeError: no luck \(\S*sums\.rb:6/,
        ended.out.gsub(/\s+/, " "))
    end

    def test_a_file_that_makes_no_sense_is_a_sentence_and_no_work
      ended = raffia("lab", "run", "./#{script("Raffia::Lab.experiment(\"a\") { work { 1 } }")}")
      assert_equal [2, ""], [ended.code, ended.out]
      assert_match(/\Araffia: \.\/script\.rb:1: a: it has no check: add check/, ended.err)
    end

    def test_the_file_to_start_from_runs_as_it_is
      assert_equal 0, raffia("lab", "new", "mine").code
      ended = raffia("lab", "run", "./mine.rb", "--runs", "1", "--on", "inline,threads", "--scale",
        "0.1")
      assert_equal 0, ended.code, ended.out + ended.err
    end

    # A result is no better and no worse than itself; one that is made three times slower is.
    def test_results_are_compared
      run = ["lab", "run", "./#{script(MINE, "sums.rb")}", "--runs", "3", "--on", "inline",
        "--json", "out.json"]
      assert_equal 0, raffia(*run).code
      same = raffia("lab", "compare", "out.json", "out.json")
      assert_equal 0, same.code, same.out
      assert_includes same.out, "noise"
      slow = result.tap do |data|
        data["experiments"].first["rows"].first["runs"].each { |each| each["seconds"] *= 300 }
      end
      File.write(File.join(@dir, "slow.json"), JSON.generate(slow))
      worse = raffia("lab", "compare", "out.json", "slow.json", "--json", "both.json", "--html",
        "both.html")
      assert_equal 1, worse.code, worse.out + worse.err
      assert_equal({"worse" => 1}, result("both.json").dig("comparison", "verdicts"))
      assert_includes File.read(File.join(@dir, "both.html")), "What has changed"
      better = raffia(*run, "--against", "slow.json")
      assert_equal 0, better.code, better.out + better.err
      assert_equal({"better" => 1}, result.dig("comparison", "verdicts"))
    end

    def test_the_same_experiment_on_several_rubies
      rubies = [RbConfig.ruby, "#{RbConfig.ruby} -W1"]
      ended = raffia("lab", "run", "./#{script(MINE, "sums.rb")}", "--runs", "1", "--on",
        "inline,processes", "--workers", "2",
        "--ruby", rubies.join(","), "--json", "out.json")
      assert_equal 0, ended.code, ended.out + ended.err
      rows = result["experiments"].first["rows"]
      assert_equal %w[inline inline processes processes], rows.map { |row| row["variant"] }
      assert_equal [rubies.map(&:split)] * 2,
        [result["environment"]["rubies"].map { |each| each["command"] }, rubies.map(&:split)]
      assert_equal 2, rows.map { |row| row["ruby"] }.uniq.size
      assert_equal [true], rows.flat_map { |row| row["checks"].values }.uniq
    end

    def test_ctrl_c_tells_what_was_finished_and_ends_the_children
      interrupted("INT") do |code, out, children|
        assert_equal 130, code, out
        assert_match(/INTERRUPTED,\s+this\s+is\s+what\s+was/, out)
        report = JSON.parse(File.read(File.join(@dir, "out.json")))
        assert_equal [true, nil], [report["interrupted"], report["checks"]["io_wait"]]
        assert_path_exists File.join(@dir, "out.html")
        assert_gone children
      end
    end

    def test_a_sigterm_does_so_too
      interrupted("TERM") do |code, _out, children|
        assert_equal 143, code
        assert_gone children
      end
    end

    def test_children_end_even_when_the_lab_is_killed
      interrupted("KILL") { |_code, _out, children| assert_gone children }
    end

    private

    def result(name = "out.json") = JSON.parse(File.read(File.join(@dir, name)))

    # Run something long, wait until its children are there, signal the lab.
    def interrupted(signal)
      out = File.join(@dir, "out.txt")
      lab = ::Process.spawn(clean({}), RbConfig.ruby, "-I", File.join(ROOT, "lib"), EXECUTABLE,
        "lab", "run", "io_wait", "--on", "inline",
        "--scale", "60", "--json", "out.json", "--html", "out.html", chdir: @dir, out:, err: out)
      children = wait_until(PROCESS_PATIENCE) do
        descendants(lab).then { |found| found if found.size >= 2 }
      end
      wait_until(PROCESS_PATIENCE) do
        children.any? { |pid| command(pid).start_with?("raffia lab: io_wait") }
      end
      ::Process.kill(signal, lab)
      status = ::Process.wait2(lab).last
      lab = nil
      yield status.exitstatus, File.read(out), children
    ensure
      ::Process.kill(:KILL, lab) && ::Process.wait(lab) if lab
    end

    def assert_gone(pids)
      wait_until { pids.none? { |pid| File.exist?("/proc/#{pid}") && !command(pid).empty? } }
    end

    def descendants(pid)
      found = Dir["/proc/[0-9]*/stat"].filter_map do |path|
        File.read(path).match(/\A(\d+) \(.*\) \S (\d+)/m)&.captures&.map(&:to_i)
      rescue SystemCallError
        nil
      end
      found.filter_map { |child, parent| child if parent == pid }
    end

    # Nothing for a zombie or a process that has gone.
    def command(pid)
      File.read("/proc/#{pid}/cmdline").tr("\0", " ")
    rescue SystemCallError
      ""
    end
  end
end
