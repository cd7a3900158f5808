# frozen_string_literal: true

require "etc"

module Raffia
  module Process
    # The memory of a process, counted by Linux in /proc/PID/smaps_rollup.
    #
    # The proportional set size (PSS) divides each page by the number of processes that share it, so
    # the sizes of a parent and its forked workers add up. Resident sizes count shared pages again
    # for each.
    #
    # pss:: Integer, bytes
    # rss:: Integer, bytes
    # private_dirty:: Integer, bytes that this process alone has written (not copy-on-write)
    Memory = Data.define(:pss, :rss, :private_dirty) do
      # @param pid [Integer]
      # @return [Memory, nil] nil when the process is gone, or not ours to read
      def self.of(pid = ::Process.pid)
        text = File.read("/proc/#{pid}/smaps_rollup")
        new(**self::LINES.transform_values { |name| text[/^#{name}:\s+(\d+) kB/, 1].to_i * 1024 })
      rescue SystemCallError
        nil
      end

      # The resident size alone, from /proc/PID/statm: in microseconds, where {of} takes up to
      # milliseconds.
      # @param pid [Integer]
      # @return [Integer, nil] bytes; nil when the process is gone
      def self.resident(pid = ::Process.pid)
        File.read("/proc/#{pid}/statm").split[1].to_i * self::PAGE
      rescue SystemCallError
        nil
      end

      # The PSS of several processes together.
      # @param pids [Enumerable<Integer>]
      # @return [Integer, nil] bytes; nil when none could be read
      def self.total_pss(pids)
        found = pids.filter_map { |pid| of(pid)&.pss }
        found.sum unless found.empty?
      end
    end

    class Memory
      # Bytes in what the system counts in.
      PAGE = Etc.sysconf(Etc::SC_PAGESIZE)
      # Our names, and the lines of the file.
      LINES = {pss: "Pss", rss: "Rss", private_dirty: "Private_Dirty"}.freeze
    end
  end
end
