# frozen_string_literal: true

require "test_helper"
require "rbconfig"
require "raffia/lab/sampler"

module Raffia
  module Lab
    class MemoryTest < TestCase
      CHILD = "spawn(RbConfig.ruby, '-e', '$stdout.puts(1); $stdout.flush; $stdin.read', in: " \
        "$stdin); Thread.new { sleep }; $stdin.read; Process.wait"

      def test_a_process_and_its_descendants
        with_a_family do |pid|
          look = Memory.read(pid)
          assert_equal 2, look.processes
          assert_operator look.threads, :>=, 3
          assert_operator look.pss, :>, 1_048_576
        end
      end

      def test_a_process_that_has_gone
        pid = ::Process.spawn("true")
        ::Process.wait(pid)
        assert_equal [nil, 0], Memory.read(pid).to_h.values_at(:pss, :threads)
      end

      def test_the_sampler_keeps_peaks
        with_a_family do |pid|
          sampler = Sampler.new(pid)
          assert_predicate sampler.due_in, :zero?
          sampler.sample_if_due
          assert_operator sampler.due_in, :>, 0.0
          peak = sampler.pss
          sampler.instance_variable_set(:@pid, ::Process.pid + 10_000_000)
          sampler.sample
          assert_equal [peak, 2], [sampler.pss, sampler.processes]
        end
      end

      private

      def with_a_family
        IO.popen([RbConfig.ruby, "-e", CHILD], "r+") do |family|
          family.gets # the grandchild is there
          yield family.pid
          family.close_write
        end
      end
    end
  end
end
