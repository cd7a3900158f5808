# frozen_string_literal: true

require "stringio"
require "raffia/cli"
require "raffia/jobs"
require_relative "cli_case"

module Raffia
  # `raffia jobs` where it cannot work: one line says why, and the exit code is not 0.
  class CLIJobsErrorsTest < CLICase
    # Arguments with which each subcommand asks its store.
    ARGUMENTS = {
      "stats" => [], "queues" => [], "processes" => [], "check" => [], "metrics" => [],
      "scaling" => [], "list" => %w[dead], "show" => %w[1], "workflow" => %w[1], "flows" => [],
      "flow" => %w[1], "enqueue" => %w[MailJob], "retry" => %w[1], "kill" => %w[--all scheduled],
      "delete" => %w[--class MailJob], "move" => %w[1 --to mail], "drain" => %w[mail],
      "pause" => %w[mail], "resume" => %w[--rate crm], "order" => %w[host:1:a stop],
      "recurring" => [], "export" => [], "import" => %w[jobs.json], "explain" => %w[1],
      "keys" => [], "reencrypt" => []
    }.freeze
    # Servers that are away, with the gem that each needs.
    AWAY = {"redis://127.0.0.1:1/0" => "redis-client", "postgres://127.0.0.1:1/app" => "pg",
            "mysql://127.0.0.1:1/app" => "trilogy"}.freeze

    def teardown
      Jobs.keys = nil
      Jobs.store = Jobs::Store.open("memory:")
      super
    end

    def test_each_subcommand_is_tried
      assert_equal CLI.command("jobs")::SUBCOMMANDS.keys.sort, ARGUMENTS.keys.sort
    end

    AWAY.each do |url, gem|
      define_method(:"test_#{gem}_without_a_server") do
        need(gem)
        Jobs.keys = {:active => "a", "a" => "a" * 32, "b" => "b" * 32}
        script("#{JSON.generate("queue" => "a", "payload" => '{"jid":"1","class":"A","args":[]}')}\n",
          "jobs.json")
        subcommands = ARGUMENTS.except(*(%w[workflow flows flow] if gem == "redis-client"))
        subcommands.each do |name, arguments|
          arguments = arguments.map { |word| (word == "jobs.json") ? File.join(@dir, word) : word }
          code, err = jobs(name, *arguments, "--store", url)
          assert_equal 1, code, "#{name}: #{err}"
          assert_match(/\Araffia: .*#{Regexp.escape(url)}.*refused.*\n\z/, err, name)
        end
      end
    end

    def test_without_a_folder_and_without_a_database
      need("sqlite3")
      script("no database" * 200, "text.db")
      {"enqueue" => [File.join(@dir, "none", "jobs.db"), 1, /are its directory there/],
       "queues" => [File.join(@dir, "none", "jobs.db"), 2, /there is no store/],
       "check" => [File.join(@dir, "text.db"), 1, /is no SQLite database \(NotADatabaseException: file is not a database\)$/]}
        .each do |name, (file, expected, message)|
        code, err = jobs(name, *ARGUMENTS[name], "--store", "sqlite:#{file}")
        assert_equal [expected, 1], [code, err.lines.size], err
        assert_match message, err
      end
    end

    # A drain waits, so it is the one that people interrupt.
    def test_a_drain_that_is_interrupted
      need("sqlite3")
      assert_equal 0, raffia("jobs", "enqueue", "MailJob").code
      Open3.popen3(clean({}), RbConfig.ruby, "-I", File.join(ROOT, "lib"), EXECUTABLE, "jobs", "drain",
        "default", chdir: @dir) do |_, out, err, process|
        assert_equal "waiting for 1 jobs; Ctrl-C ends this\n", err.gets
        ::Process.kill(:INT, process.pid)
        assert_equal [130, "stopped: default is not paused\n", ""],
          [process.value.exitstatus, err.read, out.read]
      end
      refute_match(/paused/, raffia("jobs", "queues").out)
    end

    private

    def need(gem)
      skip "the gem #{gem} is not installed" if Gem::Specification.find_all_by_name(gem).empty?
    end

    # Returns the exit code and what is said.
    def jobs(*argv)
      err = StringIO.new
      [CLI.call(["jobs", *argv], out: StringIO.new, err: err), err.string]
    end
  end
end
