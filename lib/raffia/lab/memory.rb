# frozen_string_literal: true

require_relative "../process/memory"

module Raffia
  module Lab
    # Memory, threads and number of a process and its descendants. PSS counts a page that n
    # processes share as 1/n of a page in each, so the sum is the memory that they really take. RSS
    # would count the page n times.
    module Memory
      # pss: bytes, nil where the kernel does not say.
      Reading = Data.define(:pss, :threads, :processes)

      extend self

      def read(pid)
        pids = tree(pid)
        Reading.new(pss: Process::Memory.total_pss(pids),
          threads: pids.sum { |each| threads(each) },
          processes: pids.size)
      end

      # Pids of the process and its descendants.
      def tree(pid)
        children = Hash.new { |hash, key| hash[key] = [] }
        # A descendant is younger, so its number is higher. The rare exception is missed: numbers
        # that have started again from 1.
        candidates = Dir.children("/proc")
          .filter_map { |name| name.to_i if name.match?(/\A\d+\z/) && name.to_i > pid }
        candidates.each { |each| (parent = parent(each)) && children[parent] << each }
        found = [pid]
        found.each { |each| found.concat(children[each]) if children.key?(each) }
      rescue SystemCallError
        [pid] # no /proc on this system
      end

      private

      # The name in the second field may hold blanks and brackets: read after the last bracket.
      def parent(pid)
        File.read("/proc/#{pid}/stat")[/\) \S (\d+)[^)]*\z/, 1]&.to_i
      rescue SystemCallError
        nil
      end

      def threads(pid)
        File.read("/proc/#{pid}/status")[/^Threads:\s+(\d+)/, 1].to_i
      rescue SystemCallError
        0
      end
    end
  end
end
