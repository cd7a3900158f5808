# frozen_string_literal: true

require "test_helper"
require "open3"
require "stringio"
require "raffia/cli"

module Raffia
  module CLI
    class CompletionTest < TestCase
      SHELLS = %w[bash zsh fish].freeze

      def test_every_command_and_flag_is_in_each_script
        SHELLS.each do |shell|
          script = script(shell)
          COMMANDS.each { |name| assert_match(/\b#{name}\b/, script, shell) }
          flags = %w[port no-preload web-read-only jobs]
          flags.each { |flag| assert_match(/\b#{flag}\b/, script, shell) }
          assert_match(/\bauto fibers threads\b/, script, shell)
        end
      end

      def test_bash_completes_commands_flags_and_values
        skip "there is no bash" unless system("bash", "-c", "true")
        {["ser"] => %w[serve], %w[serve --po] => %w[--port], %w[serve --execution f] => %w[fibers],
         %w[serve --no-pre] => %w[--no-preload], %w[serve -w a] => %w[auto],
         %w[serve -p 8] => [], %w[work --pid] => %w[--pidfile],
         %w[up --jobs-or --job-] => %w[--job-timeout]}.each do |words, expected|
          assert_equal expected, complete(words), words.join(" ")
        end
      end

      def test_other_shells_understand_their_script
        {"zsh" => "-n", "fish" => "--no-execute"}.each do |shell, check|
          next unless system("sh", "-c", "command -v #{shell} > /dev/null")

          output, status = Open3.capture2e(shell, check, stdin_data: script(shell))
          assert_predicate status, :success?, output
        end
      end

      def test_other_words_are_refused
        {[] => "missing argument: use bash, zsh, fish", %w[tcsh] => "invalid argument: tcsh",
         %w[bash zsh] => "needless argument: zsh"}.each do |argv, reason|
          err = StringIO.new
          assert_equal 2, CLI.call(["completion", *argv], out: StringIO.new, err: err)
          assert_includes err.string, reason
        end
      end

      private

      def script(shell)
        @scripts ||= {}
        @scripts[shell] ||= StringIO.new.tap { |out|
          assert_equal 0, CLI.call(["completion", shell], out: out, err: out)
        }.string
      end

      def complete(words)
        call = "COMP_WORDS=(raffia #{words.join(" ")}); COMP_CWORD=#{words.size}; _raffia; " \
          "echo \"${COMPREPLY[@]}\""
        output, status = Open3.capture2e("bash", stdin_data: "#{script("bash")}\n#{call}\n")
        assert_predicate status, :success?, output
        output.split
      end
    end
  end
end
