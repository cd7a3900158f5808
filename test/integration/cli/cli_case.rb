# frozen_string_literal: true

require "test_helper"
require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

module Raffia
  # The parent of the tests that call commands as a user does: in processes of their own, in a
  # folder of their own.
  class CLICase < TestCase
    ROOT = File.expand_path("../../..", __dir__)
    EXECUTABLE = File.join(ROOT, "exe/raffia")
    # Seconds for a whole process on a busy machine.
    PROCESS_PATIENCE = 60

    Ended = Struct.new(:out, :err, :status) do
      def code = status.exitstatus
    end

    def setup
      @dir = Dir.mktmpdir("raffia-test-")
    end

    def teardown
      FileUtils.remove_entry(@dir)
    end

    # @return [Ended] of `raffia ARGV`
    def raffia(*argv, **options) = ruby(EXECUTABLE, *argv, **options)

    # @return [Ended] of `ruby ARGV`
    def ruby(*argv, env: {}, stdin: "")
      Open3.popen3(clean(env), RbConfig.ruby, "-I", File.join(ROOT, "lib"), *argv,
        chdir: @dir) do |input, out, err, process|
        # Output is UTF-8 in every locale.
        outputs = [out, err].map { |io| Thread.new { io.set_encoding(Encoding::UTF_8).read } }
        feed(input, stdin)
        ended = process.join(PROCESS_PATIENCE)
        ::Process.kill(:KILL, process.pid) unless ended
        texts = outputs.map(&:value)
        unless ended
          flunk("#{argv.join(" ")} did not end within #{PROCESS_PATIENCE} s:\n#{texts.join}")
        end
        Ended.new(*texts, process.value)
      end
    end

    # @return [String] the name of the script, written into the folder that commands run in
    def script(source, name = "script.rb")
      File.write(File.join(@dir, name), source)
      name
    end

    private

    # Variables of the developer's shell must not change the tests.
    def clean(env) = {"RAFFIA_LOG" => nil, "RUBYOPT" => nil, **env}

    def feed(input, text)
      input.write(text)
      input.close
    rescue Errno::EPIPE
      nil # it did not want to read
    end
  end
end
