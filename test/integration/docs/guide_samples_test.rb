# frozen_string_literal: true

require "stringio"
require "raffia/cli"
require "raffia/cli/jobs"
require "support/servers"
require_relative "../cli/serve_case"
require_relative "guide_commands"
require_relative "guide_pages"
require_relative "guide_samples"

module Raffia
  # The samples of README and guides beside programs: pieces of programs, settings files, commands,
  # outputs. Each is run, or has a reason.
  class GuideSamplesTest < CLIServeCase
    include GuidePages
    include GuideSamples

    URLS = {Redis: "redis://127.0.0.1:%d", PostgreSQL: "postgres://postgres@127.0.0.1:%d/postgres",
            MariaDB: "mysql2://root@127.0.0.1:%d"}.freeze

    # The database of the guides' application.
    SHOP = "postgres://localhost/shop"

    PROGRAMS.each do |(page, words), (server, program)|
      define_method(:"test_program_of_#{page}_#{words}") do
        env = address(server)
        sample = sample(page, words).gsub(SHOP) { env.fetch("POSTGRESQL_URL") }
        ended = ruby(script("require \"raffia\"\n#{program.sub("SAMPLE") { sample }}"), env: env)
        assert_equal ["good", 0], [ended.out.lines.last&.chomp, ended.code], ended.out + ended.err
      end
    end

    FILES.each do |(page, words), file|
      define_method(:"test_file_of_#{page}_#{words}") do
        if Gem::Specification.find_all_by_name("rack").empty?
          skip "the gem rack is not installed (bin/setup)"
        end
        FileUtils.mkdir(File.join(@dir, "app"))
        script("require \"raffia/actor\"\nApp = Class.new(Raffia::Supervisor)", "app/actors.rb")
        script(sample(page, words), file)
        ended = raffia("serve", "--check",
          env: {"JOBS_PASSWORD" => "secret", "RAFFIA_STORE" => "memory:"})
        assert_equal 0, ended.code, ended.out + ended.err
      end
    end

    # Fenced samples in each language, and indented ones. guide_commands_test.rb has the commands
    # and their outputs.
    def test_each_sample_is_run_or_has_a_reason
      known = [PROGRAMS, FILES, GuideCommands::OUTPUTS, LEFT_OUT].flat_map(&:keys)
      others = (SAMPLES - COMMANDS).reject do |page, text|
        known.any? { |where, words| where == page && text.lstrip.start_with?(words) }
      end
      assert_empty(others.map { |page, text| "#{page}: #{text.lines.first}" })
      known.each { |page, words| sample(page, words) }
    end

    # Its file is there still.
    def test_each_reason_holds
      [*LEFT_OUT.values, *GuideCommands::LEFT_OUT.values].join(" ").scan(%r{[\w/]+_test\.rb}).uniq
        .each do |name|
        refute_empty Dir.glob("test/**/#{name}", base: ROOT), name
      end
    end

    # Each command is there, and takes the options that it is shown with.
    def test_commands
      commands = TEXTS.flat_map do |page, text|
        text.scan(COMMAND).flatten.map { |command| [page, command] }
      end
      assert_operator commands.size, :>, 50
      commands.each do |page, command|
        _, name, *words = command.gsub(/"[^"]*"/, "x").split
        next if name == "raffia"

        help = if name == "jobs"
          help(name, *(words & CLI::Jobs::SUBCOMMANDS.keys).first)
        elsif CLI::COMMANDS.include?(name)
          (@help ||= {})[name] ||= help(name)
        else
          flunk("#{page}: there is no command: #{command}")
        end
        words.grep(/\A--?[a-z]/).each do |word|
          assert_match(/(?<![\w-])#{option(word)}(?!\w)/, help, "#{page}: #{command}")
        end
      end
    end

    private

    def option(word)
      Regexp.escape(word[/\A--?[\w-]+/]).sub(/\A\\-\\-(no\\-)?/) do
        ($1) ? "\\-\\-(?:\\[no-\\]|no-)?" : "\\-\\-(?:\\[no-\\])?"
      end
    end

    # The help of a command, or of a subcommand.
    def help(*names)
      out = StringIO.new
      CLI.call([*names, "--help"], out: out, err: out)
      out.string
    end

    def address(server)
      return {} unless server
      {"#{server.upcase}_URL" => format(URLS.fetch(server),
        TestSupport.const_get(server).running.port)}
    rescue TestSupport::Server::Missing => error
      skip error.message
    end
  end
end
