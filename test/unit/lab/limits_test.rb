# frozen_string_literal: true

require "test_helper"
require "raffia/lab/limits"

module Raffia
  module Lab
    class LimitsTest < TestCase
      SOFT, HARD = ::Process.getrlimit(:NOFILE)

      def test_nothing_to_raise
        assert_empty Limits.spawn_options({nofile: SOFT})
        assert_nil Limits.obstacle({nofile: SOFT})
        assert_nil Limits.obstacle({})
      end

      def test_only_the_soft_limit_is_raised
        with_lower_soft_limit do
          assert_equal({rlimit_nofile: [HARD, HARD]}, Limits.spawn_options({nofile: HARD}))
          out = IO.popen(["sh", "-c", "ulimit -n"], **Limits.spawn_options({nofile: HARD}), &:read)
          assert_equal HARD.to_s, out.strip
        end
      end

      # No process may have more files than the kernel's own bound, not even root's.
      def test_a_limit_that_cannot_be_raised_says_what_to_do
        wanted = Integer(File.read("/proc/sys/fs/nr_open")) + 1
        assert_match(
          /\Aneeds a limit of #{wanted} for nofile .* the hard limit here is #{HARD} .*prlimit/,
          Limits.obstacle({nofile: wanted})
        )
      end

      private

      # Runs the block where the soft limit is below the hard one.
      def with_lower_soft_limit
        ::Process.setrlimit(:NOFILE, HARD - 1, HARD)
        yield
      ensure
        ::Process.setrlimit(:NOFILE, SOFT, HARD)
      end
    end
  end
end
