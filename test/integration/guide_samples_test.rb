# frozen_string_literal: true

require "shellwords"
require "stringio"
require "raffia/cli"
require "support/servers"
require_relative "cli_serve_case"
require_relative "guide_samples"

module Raffia
  # What README and guides show beside programs: pieces of programs, files of settings, commands. None of it is forgotten, see {GuideSamples}.
  class GuideSamplesTest < CLIServeCase
    include GuideSamples

    PAGES = ["README.md", *Dir.glob("guides/**/*.md", base: ROOT).sort].to_h do |page|
      [page, File.read(File.join(ROOT, page), encoding: "UTF-8").gsub(/^```.*?^```$/m, "")]
    end.freeze
    # Indented, after a line that is empty, down to the next one that is not indented.
    INDENTED = /(?<=\n\n) {4,}\S.*\n(?: {4}.*\n|\n(?= {4}))*/
    SAMPLES = PAGES.flat_map { |page, text| text.scan(INDENTED).map { |sample| [page, sample.gsub(/^ {4}/, "")] } }.freeze
    # In a block of commands or in the middle of a sentence.
    COMMAND = /(?:^ *|`)(?:[A-Z_]+=\S+ )*(?:bundle exec |bin\/)?(raffia [a-z][^`\n#]*)/
    LINE = /\A(?:#{COMMAND}|(?:[A-Z_]+=\S+ )*(?:bin\/|rackup|rails|ruby|cd))/
    URLS = {Redis: "redis://127.0.0.1:%d", PostgreSQL: "postgres://postgres@127.0.0.1:%d/postgres", MariaDB: "mysql2://root@127.0.0.1:%d"}.freeze

    PROGRAMS.each do |(page, words), (server, program)|
      define_method(:"test_program_of_#{page}_#{words}") do
        ended = ruby(script("require \"raffia\"\n#{program.sub("SAMPLE") { sample(page, words) }}"), env: address(server))
        assert_equal ["good", 0], [ended.out.lines.last&.chomp, ended.code], ended.out + ended.err
      end
    end

    FILES.each do |(page, words), file|
      define_method(:"test_file_of_#{page}_#{words}") do
        skip "the gem rack is not installed (bin/setup)" if Gem::Specification.find_all_by_name("rack").empty?
        script(sample(page, words), file)
        ended = raffia("serve", "--check", env: {"JOBS_PASSWORD" => "secret", "RAFFIA_STORE" => "memory:"})
        assert_equal 0, ended.code, ended.out + ended.err
      end
    end

    def test_each_sample_is_run_or_has_a_reason
      known = [PROGRAMS, FILES, LEFT_OUT].flat_map(&:keys)
      others = SAMPLES.reject { |page, text| commands?(text) || known.any? { |where, words| where == page && text.lstrip.start_with?(words) } }
      assert_empty(others.map { |page, text| "#{page}: #{text.lines.first}" })
      known.each { |page, words| sample(page, words) }
    end

    # Each command is there, and takes the options that it is shown with.
    def test_commands
      commands = PAGES.flat_map { |page, text| text.scan(COMMAND).flatten.map { |command| [page, command] } }
      assert_operator commands.size, :>, 50
      commands.each do |page, command|
        _, name, *words = command.gsub(/"[^"]*"/, "x").split
        next if name == "raffia"

        help = CLI::COMMANDS.include?(name) ? (@help ||= {})[name] ||= help(name) : flunk("#{page}: there is no command: #{command}")
        words.grep(/\A--?[a-z]/).each { |word| assert_match(/(?<![\w-])#{option(word)}(?!\w)/, help, "#{page}: #{command}") }
      end
    end

    # The first two commands of guides/jobs.md, with its first program as jobs.rb.
    def test_the_first_job
      skip "the gem sqlite3 is not installed (bin/setup)" if Gem::Specification.find_all_by_name("sqlite3").empty?
      page = File.read(File.join(ROOT, "guides/jobs.md"), encoding: "UTF-8")
      script("$stdout.sync = true\n#{page[/^class WelcomeJob.*?^end\n/m].prepend("require \"raffia/jobs\"\n")}", "jobs.rb")
      enqueue, work = sample("guides/jobs.md", "ruby -r").lines.map { |line| line.shellsplit.drop(1) }
      assert_equal 0, ruby(*enqueue).code
      worker = start(EXECUTABLE, *work)
      wait_until(PROCESS_PATIENCE, "nobody was welcomed") { worker.out.include?("welcome, Ann") }
    ensure
      worker&.finish
    end

    private

    def sample(page, words)
      found = SAMPLES.select { |where, text| where == page && text.lstrip.start_with?(words) }
      assert_equal 1, found.size, "#{page}: #{words}"
      found.first.last
    end

    def commands?(text) = text.lines.all? { |line| line.strip.empty? || line.match?(LINE) }

    def option(word) = Regexp.escape(word[/\A--?[\w-]+/]).sub(/\A\\-\\-no\\-/, "\\-\\-(?:\\[no-\\]|no-)?")

    def help(name)
      out = StringIO.new
      CLI.call([name, "--help"], out: out, err: out)
      out.string
    end

    def address(server)
      return {} unless server
      {"#{server.upcase}_URL" => format(URLS.fetch(server), TestSupport.const_get(server).running.port)}
    rescue TestSupport::Server::Missing => error
      skip error.message
    end
  end
end
