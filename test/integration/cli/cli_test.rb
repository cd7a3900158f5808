# frozen_string_literal: true

require "raffia/base/version"
require_relative "cli_case"

module Raffia
  # The command as a process: what the shell sees of it.
  class CLITest < CLICase
    def test_version_loads_nothing_but_what_it_needs
      loaded = ruby "-e", <<~RUBY
        require "raffia/cli"
        Raffia::CLI.call(["--version"])
        puts $LOADED_FEATURES.filter_map { |path| path[%r{lib/raffia/(\\w+)}, 1] }.uniq.sort
      RUBY
      assert_equal %w[base cli], loaded.out.lines.drop(1).map(&:chomp)
    end

    def test_exit_codes_reach_the_shell
      assert_equal 0, raffia.code
      assert_equal 2, raffia("docter").code
      assert_equal [0, "raffia #{VERSION}\n"],
        raffia("run", "--version").then { |ended| [ended.code, ended.out] }
    end

    def test_a_reader_that_leaves_early
      reader, writer = IO.pipe
      errors = File.join(@dir, "errors")
      pid = spawn(RbConfig.ruby, "-I", File.join(ROOT, "lib"), EXECUTABLE, "help", out: writer,
        err: errors, close_others: true)
      [reader, writer].each(&:close)
      _, status = ::Process.wait2(pid)
      assert_equal [141, ""], [status.exitstatus, File.read(errors)]
    end

    def test_jobs_of_an_application_that_says_where_they_are
      if Gem::Specification.find_all_by_name("sqlite3").empty?
        skip "the gem sqlite3 is not installed (bin/setup)"
      end
      Dir.mkdir(File.join(@dir, "config"))
      script(<<~RUBY, "config/environment.rb")
        require "raffia/jobs"
        Raffia::Jobs.store = "sqlite:elsewhere.db"
        class GreetJob
          include Raffia::Job

          def perform(name) = name
        end
      RUBY
      assert_equal 0, raffia("jobs", "-r", ".", "enqueue", "GreetJob", '"Ada"').code
      assert_path_exists File.join(@dir, "elsewhere.db")
      assert_match(/GreetJob +\["Ada"\]/, raffia("jobs", "-r", ".", "list", "queue:default").out)
      script("require 'not_there'", "broken.rb")
      ended = raffia("jobs", "-r", "broken.rb", "stats")
      assert_equal 1, ended.code
      assert_match(/cannot load such file -- not_there/, ended.err)
      refute_match(%r{lib/raffia/cli}, ended.err)
    end

    def test_raffia_log_debug_shows_where_errors_come_from
      ended = raffia "run", "nowhere.rb", env: {"RAFFIA_LOG" => "debug"}
      assert_equal 2, ended.code
      assert_match(/\Araffia: nowhere.rb does not exist.*\n.*cli\/run\/script\.rb:\d+:in/,
        ended.err)
      assert_equal ended.err, raffia("--debug", "run", "nowhere.rb").err
    end

    def test_a_setting_that_means_nothing_does_not_hide_the_error
      ended = raffia "run", "nowhere.rb", env: {"RAFFIA_LOG" => "loud"}
      assert_equal [2, 1], [ended.code, ended.err.lines.size]
      assert_includes ended.err, "nowhere.rb"
    end
  end
end
