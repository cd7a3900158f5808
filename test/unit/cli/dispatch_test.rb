# frozen_string_literal: true

require "test_helper"
require "stringio"
require "raffia/cli"
require "raffia/cli/dispatch"

module Raffia
  module CLI
    class DispatchTest < TestCase
      # Stands in for a command of ours, and does what the test wants.
      FAKE = Struct.new(:body) do
        def call(argv, out:, err:) = body.call(argv, out, err)
      end

      def test_version
        code, out, err = raffia("--version")
        assert_equal [0, "", true], [code, err, out.start_with?("raffia #{VERSION} (")]
        assert_equal [out], [raffia("-v"), raffia("version")].map { |result| result[1] }.uniq
      end

      def test_a_flag_of_ours_with_a_typo
        code, _out, err = raffia("--verion")
        assert_equal [2,
          "raffia: there is no option --verion. Did you mean --version? `raffia help` lists " \
            "all.\n"], [code, err]
      end

      def test_an_unknown_command_with_and_without_a_guess
        code, out, err = raffia("docter")
        assert_equal [2, ""], [code, out]
        assert_equal "raffia: there is no command docter. Did you mean doctor? `raffia help` " \
          "lists all.\n", err
        assert_equal "raffia: there is no command xyzzy. `raffia help` lists all.\n",
          raffia("xyzzy").last
      end

      def test_an_error_of_ours_is_one_sentence
        code, out, err = raffia_that { raise WorkerDied.new(pid: 7, signal: "SIGKILL") }
        assert_equal [1, ""], [code, out]
        assert_match(/\Araffia: worker process 7 was killed by SIGKILL.*\n\z/, err)
      end

      def test_what_the_command_line_got_wrong_is_a_usage_error
        [ConfigError, OptionParser::InvalidOption, NotFound].each do |kind|
          assert_equal 2, raffia_that { raise kind, "wrong" }.first, kind.name
        end
      end

      def test_messages_of_several_lines_become_one
        assert_equal "raffia: invalid option: --jsn. Did you mean --json? `raffia help run` " \
          "explains the command.\n",
          raffia_that { OptionParser.new { |o| o.on("--json") }.parse(["--jsn"]) }.last
      end

      def test_debug_adds_where_the_error_comes_from
        code, _out, err = raffia_that(["--debug"]) { raise Closed, "closed" }
        assert_equal 1, code
        assert_match(
          /\Araffia: closed\n.*#{File.basename(__FILE__)}:\d+:in.*closed \(Raffia::Closed\)/, err
        )
      end

      def test_interrupt_is_quiet
        assert_equal [130, "", ""], raffia_that { raise Interrupt }
      end

      def test_a_reader_that_has_gone_is_no_error
        assert_equal [141, "", ""], raffia_that { raise Errno::EPIPE }
      end

      def test_a_pipe_that_closes_behind_the_buffer_is_noticed
        reader, writer = IO.pipe
        reader.close
        err = StringIO.new
        assert_equal 141, CLI.call(["version"], out: writer, err: err)
        assert_empty err.string
      ensure
        drop(writer)
      end

      def test_exceptions_of_a_program_come_out_as_they_went_in
        original = assert_raises(Closed) { raffia_that { raise_uncaught } }
        assert_equal ["theirs", "the reason"], [original.message, original.cause.message]
      end

      def test_exit_is_not_swallowed
        assert_equal 7, assert_raises(SystemExit) { raffia_that { exit 7 } }.status
      end

      private

      def raffia(*argv)
        out = StringIO.new
        err = StringIO.new
        code = CLI.call(argv, out: out, err: err)
        [code, out.string, err.string]
      end

      # `raffia run`, with the block in the place of the command.
      def raffia_that(flags = [], &block)
        out = StringIO.new
        err = StringIO.new
        fake = FAKE.new(proc { block.call || OK })
        code = Dispatch.new(out, err, find: ->(_name) { fake }).call([*flags, "run"])
        [code, out.string, err.string]
      end

      def raise_uncaught
        begin
          raise "the reason"
        rescue
          raise Closed, "theirs"
        end
      rescue Closed => e
        raise Uncaught.new(e)
      end

      def drop(io)
        io.close
      rescue Errno::EPIPE
        nil
      end
    end
  end
end
