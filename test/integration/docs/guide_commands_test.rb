# frozen_string_literal: true

require "shellwords"
require "support/certificates"
require "support/servers"
require_relative "../cli/serve_case"
require_relative "guide_commands"
require_relative "guide_pages"

module Raffia
  # The commands of README and guides, typed one after the other as they stand there, and what is
  # printed there. See {GuideCommands}.
  class GuideCommandsTest < CLIServeCase
    include GuidePages

    # Without what is said about it.
    LINES = GuidePages::COMMANDS.map do |page, text|
      [page,
        text.lines.map { |line| line.strip.sub(/(?:\s#|\s{3,}).*/, "").strip }.reject(&:empty?)]
    end.freeze

    LINES.each_with_index do |(page, lines), number|
      to_run = lines.reject do |line|
        GuideCommands::LEFT_OUT.any? { |pattern, _| pattern.match?(line) }
      end
      next if to_run.empty?

      define_method(:"test_commands_#{number}_of_#{page}") do
        prepare(page)
        jobs, others = to_run.partition { |line| line.start_with?("raffia jobs ") }
        run_jobs(jobs) if jobs.any?
        others.each { |line| type(line) }
      end
    end

    GuideCommands::OUTPUTS.each do |(page, words), how|
      define_method(:"test_output_of_#{page}_#{words}") { send(how, sample(page, words)) }
    end

    # Each command that is left out exists in a page.
    def test_each_reason_is_for_something
      GuideCommands::LEFT_OUT.each_key do |pattern|
        assert(LINES.flat_map(&:last).any?(pattern), pattern.inspect)
      end
    end

    private

    def prepare(page)
      {**GuideCommands::FILES, **GuideCommands::PAGES.fetch(page, {})}.each do |name, text|
        script(text, name)
      end
      certificates = TestSupport::Certificates.new(@dir).server("localhost")
      certificates.zip(%w[fullchain.pem privkey.pem]) do |made, name|
        FileUtils.cp(made, File.join(@dir, name))
      end
    end

    # In one process.
    def run_jobs(lines)
      ["jobs.rb", *lines].each { |line| need_gems(line) }
      lines = lines.map { |line| local(line) }
      ended = ruby(script(GuideCommands::JOBS), *lines)
      assert_equal 0, ended.code, ended.out + ended.err
    end

    def type(line)
      need_gems(line)
      *settings, command = line.partition(/(?:bin\/)?(?:raffia|ruby) .*/).first(2)
      env = {"PORT" => "0", "RUBYLIB" => File.join(ROOT, "lib"), "XDG_RUNTIME_DIR" => @dir,
             **settings.first.split.to_h { |word| word.split("=", 2) }}
      words = [*words(command),
        *GuideCommands::ADDED.find { |pattern, _| pattern.match?(command) }&.last]
      GuideCommands::SERVES.match?(command) ? serves(words, env) : ends(command, words, env)
    end

    def words(command)
      command = GuideCommands::INSTEAD
        .reduce(command.delete_prefix("bin/")) { |text, (theirs, ours)| text.sub(theirs, ours) }
      program, *rest = local(command).shellsplit
      (program == "raffia") ? [EXECUTABLE, *rest] : rest
    end

    # The command, with our server in place of the usual one.
    def local(command)
      return command unless command.include?("redis:")

      command.sub("localhost:6379") { "127.0.0.1:#{TestSupport::Redis.running.port}" }
    rescue TestSupport::Server::Missing => error
      skip error.message
    end

    def ends(command, words, env)
      ended = ruby(*words, env: env)
      code = GuideCommands::CODES.find { |pattern, _| pattern.match?(command) }&.last || 0
      assert_equal code, ended.code, "#{command}:\n#{ended.out}#{ended.err}"
      assert_equal "good\n", ended.out if command.end_with?("script.rb")
    end

    def serves(words, env)
      running = start(*words, env: env)
      wait_until(PROCESS_PATIENCE, "it does not begin: #{words.join(" ")}\n#{running.err}") do
        running.out.include?('"event":"start"') || !running.running?
      end
      if File.exist?(File.join(@dir, "raffia.db")) && words.include?("./jobs.rb")
        wait_until(PROCESS_PATIENCE, "nobody was welcomed") { running.out.include?("welcome, Ann") }
      end
      running.kill(:TERM)
      assert_equal 0, running.ended.exitstatus, running.err
    ensure
      running&.finish
    end

    def need_gems(line)
      {/serve|up|doctor --rack/ => "rack", /work|jobs\.rb|up/ => "sqlite3",
       /redis:/ => "redis-client"}.each do |pattern, gem|
        if line.match?(pattern) && Gem::Specification.find_all_by_name(gem).empty?
          skip "the gem #{gem} is not installed (bin/setup)"
        end
      end
    end

    # The part of the output that is the same on each machine and at all times.
    def plain(text)
      text.gsub(/\b\h{8,}(?:-\h+)*(?:\.\.\.)?/, "id").gsub(/\d+(?:[.,]\d+)*/, "0")
        .gsub(%r{/[A-Z][a-z]{2}/}, "/Mon/").split.join(" ")
    end

    # -- What is printed

    # Its first line, and the names of the rows: how long they take is the machine's business. So is
    # where work is done that computes, so this waits.
    def explained(shown)
      program = script('require "raffia"; Raffia.map(1..200, on: :auto, explain: true) { |n| ' \
        "sleep(0.01) && n }")
      printed = ruby("-W:no-experimental", program).err
      rows = ->(text) { text.lines.drop(2).map { |line| line.split.first } }
      assert_equal rows.call(shown), rows.call(printed), printed
      assert_match(/\Araffia: on \w+.* items that are left \(.* done before, inline\)$/, printed)
      assert_match(/an item takes 0 [um]?s: 0% .*, and 0 bytes to send/, plain(printed))
    end

    def access_log(shown)
      serve("--processes", "0", "--access-log", "access.log") do |server|
        Net::HTTP.get(URI("#{server.url}/a?b=1"), {"User-Agent" => "curl/8.5"})
        log = File.join(@dir, "access.log")
        wait_until(PROCESS_PATIENCE, "nothing is logged") { File.size?(log) }
        assert_equal plain(shown), plain(File.read(log).sub(/\A\S+/, "127.0.0.1"))
      end
    end

    def doctor(shown)
      prepare("guides/ractors.md")
      assert_includes plain(ruby(*words(LINES.assoc("guides/ractors.md").last.first)).out),
        plain(shown)
    end

    def top(shown)
      env = {"XDG_RUNTIME_DIR" => @dir}
      Open3.popen2(clean(env), RbConfig.ruby, "-I", File.join(ROOT, "lib"), EXECUTABLE, "run",
        "--top", script(GuideCommands::TREE), chdir: @dir) do |_, output, program|
        assert_equal "ready\n", output.gets
        wait_until(PROCESS_PATIENCE, "raffia top shows something else") do
          plain(raffia("top", "--once", env: env).out.lines.drop(1).join) == plain(shown)
        end
      ensure
        ::Process.kill(:KILL, program.pid)
      end
    end
  end
end
