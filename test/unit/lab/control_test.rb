# frozen_string_literal: true

require "test_helper"
require "raffia/lab/control"

module Raffia
  module Lab
    class ControlTest < TestCase
      def map(items, workers, &work) = Control.processes(items, workers, work)

      def test_independent_programs_share_the_items_in_order
        need_fork
        assert_no_leaks do
          pids = map([1, 2, 3, 4, 5], 2) { |item| [item * 2, ::Process.pid] }
          assert_equal [2, 4, 6, 8, 10], pids.map(&:first)
          assert_equal [3, 2], pids.map(&:last).tally.values
          refute_includes pids.map(&:last), ::Process.pid
        end
      end

      def test_a_program_that_fails_is_an_error
        need_fork
        assert_no_leaks do
          assert_raises(EOFError, ArgumentError) { map([1, 2], 2) { |item| exit!(1) if item == 2 } }
        end
      end

      def test_the_experiments_run_with_yjit_wherever_it_is
        need_cruby("YJIT")
        skip "this Ruby has no YJIT" unless defined?(RubyVM::YJIT)
        ask = 'require "raffia/lab/subprocess"; print Raffia::Lab::Subprocess.own.drop(1).inspect'
        lib = File.expand_path("../../../lib", __dir__)
        own = ->(env) {
          IO.popen([env, RbConfig.ruby, "--disable-yjit", "-I", lib, "-e", ask], &:read)
        }
        assert_equal ['["--yjit"]', "[]"],
          [own.call("RUBY_YJIT_ENABLE" => nil), own.call("RUBY_YJIT_ENABLE" => "0")]
      end
    end
  end
end
