# frozen_string_literal: true

require "open3"

module Raffia
  module Lab
    # The processor's own counters, by perf: how many cycles the work took, and how many
    # instructions were done in them. Only what runs in user mode is counted, because that is what
    # every user may count on a kernel of the usual settings.
    module Counters
      EVENTS = {cycles: "cycles:u", instructions: "instructions:u"}.freeze
      PARANOID = "/proc/sys/kernel/perf_event_paranoid"
      # From this value on, the kernel lets nobody but root count anything.
      FORBIDDEN = 3

      module_function

      # @param perf [String] the program
      # @param events [Hash{Symbol => String}] by perf's names
      # @return [String, nil] why there are no counters here; nil when there are
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

      # It counts nothing before it is told to, by a line on its standard input, and answers each
      # with one on its output.
      #
      # @param pid [Integer] the process to count, with the children that it will have
      # @return [Array<String>] the command; the figures come on descriptor 3 when it is interrupted
      def command(pid, perf: "perf", events: EVENTS)
        [perf, "stat", "-x", ";", "-D", "-1", "--control", "fd:0,1", "--log-fd", "3", "-e",
          events.values.join(","), "-p", pid.to_s]
      end

      # @param text [String] of perf stat -x ";"
      # @return [Hash{Symbol => Integer}] without those that were not counted
      def read(text, events: EVENTS)
        counted = text.scan(/^(\d+)(?:\.\d+)?;[^;]*;([^;]+)/).group_by { |_, event| plain(event) }
        events.transform_values { |event|
          counted[plain(event)]
            &.sum { |count, _| Integer(count, 10) }
        }.compact
      end

      # Processors with two kinds of cores count on each: "cpu_core/cycles:u/" and
      # "cpu_atom/cycles:u/".
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
