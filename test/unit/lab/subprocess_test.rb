# frozen_string_literal: true

require "test_helper"
require "raffia/base/clock"
require "raffia/lab/lifeline"
require "raffia/lab/subprocess"

module Raffia
  module Lab
    class SubprocessTest < TestCase
      def test_its_output_events_and_end
        assert_no_leaks do
          process = ruby('IO.for_fd(3).puts(\'{"event":"ready","port":7}\'); puts $stdin.gets; ' \
            'warn "oops"')
          process.puts("hello")
          drain(process)
          assert_equal({event: "ready", port: 7}, process.event)
          assert_nil process.event
          assert_equal ["hello\n", "oops"], [process.output, process.errors]
          assert_predicate process.finish, :success?
        end
      end

      def test_half_an_event_is_none_yet
        process = ruby('IO.for_fd(3).write(\'{"event":\')')
        drain(process)
        assert_nil process.event
        process.finish
      end

      def test_what_does_not_end_by_itself_is_ended
        assert_no_leaks do
          process = ruby('IO.for_fd(3).syswrite("{}\n"); sleep')
          read(process) until process.event
          assert_equal Signal.list["TERM"], process.finish(0.1).termsig
        end
      end

      def test_what_ignores_that_is_killed_with_its_children
        assert_no_leaks do
          process = ruby('trap("TERM", "IGNORE"); spawn("sleep 1000"); ' \
            'IO.for_fd(3).syswrite("{}\n"); sleep')
          read(process) until process.event
          assert_equal Signal.list["KILL"], process.finish(0.1).termsig
        end
      end

      def test_a_full_pipe_does_not_keep_it_from_ending
        process = ruby('$stdin.read; $stdout.write("x" * 1_000_000)')
        assert_predicate process.finish(PATIENCE), :success?
      end

      def test_telling_one_that_has_gone
        process = ruby("exit 3")
        drain(process)
        process.puts("hello")
        assert_equal 3, process.finish.exitstatus
      end

      def test_a_program_that_does_not_exist
        assert_no_leaks do
          assert_raises(Errno::ENOENT) { Subprocess.new(["no-such-program-here"]) }
        end
      end

      def test_a_child_ends_with_its_parent
        code = 'require "raffia/lab/lifeline"; Raffia::Lab::Lifeline.hold($stdin) { $stdout.puts ' \
          "Process.pid; $stdout.flush; sleep }"
        reader, writer = IO.pipe
        out, child_out = IO.pipe
        child = ::Process.spawn(RbConfig.ruby, "-I", Subprocess::LIB, "-e", code, in: reader,
          out: child_out)
        [reader, child_out].each(&:close)
        out.gets
        writer.close # as the kernel does when the parent dies, however it dies
        assert_equal Signal.list["TERM"], ::Process.wait2(child).last.termsig
        out.close
      end

      def test_a_parent_that_went_before
        reader, writer = IO.pipe
        writer.close
        error = assert_raises(SignalException) do
          Lifeline.hold(reader) { flunk "nobody wants this" }
        end
        assert_equal "SIGTERM", error.message
        reader.close
      end

      private

      def ruby(code) = Subprocess.new([RbConfig.ruby, "-e", code])

      def read(process)
        IO.select(process.ios, nil, nil, PATIENCE)&.first&.each { |io| process.read(io) }
      end

      def drain(process)
        read(process) until process.silent?
      end
    end
  end
end
