# frozen_string_literal: true

require "test_helper"
require "raffia/lab/counters"
require "raffia/lab/stop_signal"
require "raffia/lab/processes"

module Raffia
  module Lab
    class CountersTest < TestCase
      OUTPUT = <<~TEXT
        168.97;msec;task-clock;167978340;100.00;0.197;CPUs utilized
        123456789;;cycles:u;167978340;100.00;;
        246913578;;instructions:u;167978340;100.00;;
      TEXT
      # Counters of the kernel itself, on every machine with perf.
      SOFTWARE = {faults: "page-faults", switches: "context-switches"}.freeze

      def test_the_output_of_perf
        assert_equal({cycles: 123_456_789, instructions: 246_913_578}, Counters.read(OUTPUT))
        assert_equal({instructions: 1},
          Counters.read("<not supported>;;cycles:u;0;100.00;;\n1;;instructions:u;0;100.00;;\n"))
        assert_empty Counters.read("")
        assert_equal({cycles: 30},
          Counters.read("10;;cpu_atom/cycles:u/;1;50.00;;\n20;;cpu_core/cycles/u;1;50.00;;\n<not " \
            "counted>;;cpu_atom/instructions/u;0;0;;\n"))
      end

      def test_this_machine_has_them_or_says_why_not
        reason = Counters.obstacle
        assert reason.nil? ||
          reason.match?(/not installed|has none that could be read|forbids|ended with status/),
          reason.inspect
      end

      def test_without_perf
        assert_equal "perf is not installed (Debian: apt-get install linux-perf)",
          Counters.obstacle(perf: "no-such-program-here")
      end

      def test_a_perf_that_fails
        assert_match(/\Aperf stat ended with status 1|\Athe kernel forbids it/,
          Counters.obstacle(perf: "false"))
      end

      def test_a_perf_that_counts_nothing
        assert_equal "this machine has none that could be read (a virtual machine, perhaps)",
          Counters.obstacle(perf: "true")
      end

      # The same way as with the processor's counters, which not every machine has.
      def test_counting_a_process_and_its_children
        skip "no perf here: #{Counters.obstacle}" if Counters.obstacle(events: SOFTWARE)
        assert_no_leaks do
          few, many = [10, 4_000].map { |pages|
            count("Process.wait(fork { String.new(\"x\" * (#{pages} * 4096)) })")
          }
          assert_equal %i[faults switches], many.keys
          assert_operator many[:faults] - few[:faults], :>, 2_000
        end
      end

      private

      def count(work)
        stop = StopSignal.new
        processes = Processes.new(stop)
        child = processes.start([RbConfig.ruby, "-e",
          "$stdin.gets; #{work}; puts 1; $stdout.flush; $stdin.read"])
        perf = processes.start(Counters.command(child.pid, events: SOFTWARE))
        tell(processes, perf, "enable")
        tell(processes, child, "go")
        tell(processes, perf, "disable")
        perf.interrupt
        processes.wait { perf.silent? }
        Counters.read(perf.figures, events: SOFTWARE)
      ensure
        processes.finish
        stop.close
      end

      def tell(processes, process, word)
        lines = process.output.lines.size
        process.puts(word)
        processes.wait { process.output.lines.size > lines || process.silent? }
      end
    end
  end
end
