# frozen_string_literal: true

require "open3"

module Raffia
  module Lab
    # Counts cycles and instructions by perf. It counts user mode only, because with a kernel's
    # usual settings every user may do that.
    module Counters
      EVENTS = {cycles: "cycles:u", instructions: "instructions:u"}.freeze
      PARANOID = "/proc/sys/kernel/perf_event_paranoid"
      # From this value on, the kernel lets only root count.
      FORBIDDEN = 3

      extend self

      # Why there are no counters here, nil when there are.
      def obstacle(perf: "perf", events: EVENTS)
        _, text, status = Open3.capture3({"LC_ALL" => "C"}, perf, "stat", "-x", ";", "-e",
          events.values.join(","), "--", "true")
        return if status.success? && read(text, events:).size == events.size
        if status.success?
          return "this machine has none that could be read (a virtual machine, perhaps)"
        end
        paranoia ||
          "perf stat ended with status #{status.exitstatus}: #{text.strip.lines.first&.strip}"
      rescue Errno::ENOENT
        "perf is not installed (Debian: apt-get install linux-perf)"
      rescue SystemCallError => error
        "perf cannot be run: #{error.message}"
      end

      # A command that counts nothing before a line on its standard input enables it, and answers
      # each line with one on its output. It counts the process and its later children, and writes
      # the figures to descriptor 3 when it is interrupted.
      def command(pid, perf: "perf", events: EVENTS)
        [perf, "stat", "-x", ";", "-D", "-1", "--control", "fd:0,1", "--log-fd", "3", "-e",
          events.values.join(","), "-p", pid.to_s]
      end

      # Reads the output of `perf stat -x ";"`, without events that were not counted.
      def read(text, events: EVENTS)
        counted = text.scan(/^(\d+)(?:\.\d+)?;[^;]*;([^;]+)/).group_by { |_, event| plain(event) }
        events.transform_values { |event|
          counted[plain(event)]&.sum { |count, _| Integer(count, 10) }
        }.compact
      end

      private

      # Processors with two kinds of cores name both: "cpu_core/cycles:u/", "cpu_atom/cycles:u/".
      def plain(event) = event[%r{\A(?:\w+/)?([\w-]+)}, 1]

      def paranoia
        value = File.read(PARANOID).to_i
        if value >= FORBIDDEN
          "the kernel forbids it: kernel.perf_event_paranoid is #{value} (2 would do: sysctl " \
            "kernel.perf_event_paranoid=2)"
        end
      rescue SystemCallError
        nil
      end
      private_class_method :plain, :paranoia
    end
  end
end
