# frozen_string_literal: true

require_relative "../process/memory"

module Raffia
  module Lab
    # What a process and all its descendants hold at one moment. PSS counts a page that n processes
    # share as 1/n of a page in each, so that the sum over a pool's processes is what the pool
    # really takes; RSS would count it n times.
    module Memory
      # @!attribute [r] pss
      #   @return [Integer, nil] bytes; nil where the kernel does not say
      # @!attribute [r] threads
      #   @return [Integer]
      # @!attribute [r] processes
      #   @return [Integer]
      Reading = Data.define(:pss, :threads, :processes)

      module_function

      # @param pid [Integer]
      # @return [Reading]
      def read(pid)
        pids = tree(pid)
        Reading.new(pss: Process::Memory.total_pss(pids),
          threads: pids.sum { |each| threads(each) },
          processes: pids.size)
      end

      # @param pid [Integer]
      # @return [Array<Integer>] the process and its descendants
      def tree(pid)
        children = Hash.new { |hash, key| hash[key] = [] }
        # A descendant is younger, so its number is higher, unless numbers have started again from
        # 1: then it is overlooked.
        candidates = Dir.children("/proc")
          .filter_map { |name| name.to_i if name.match?(/\A\d+\z/) && name.to_i > pid }
        candidates.each { |each| (parent = parent(each)) && children[parent] << each }
        found = [pid]
        found.each { |each| found.concat(children[each]) if children.key?(each) }
      rescue SystemCallError
        [pid] # no /proc on this system
      end

      # The name in the second field may hold blanks and brackets: what counts comes after the last
      # bracket.
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

      private_class_method :parent, :threads
    end
  end
end
