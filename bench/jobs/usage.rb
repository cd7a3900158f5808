# frozen_string_literal: true

require "raffia/process/memory"
require_relative "../harness/syscalls"

module JobsBench
  # Resources that a process and its descendants have used, ended ones included.
  class Usage
    TICK = 1.0 / `getconf CLK_TCK`.to_i

    # @param pid [Integer, nil] nil: there is none, and it uses nothing
    def initialize(pid) = @pid = pid

    # @return [Float] CPU seconds
    def cpu = pids.sum { |pid| of(pid) + ended(pid) }

    # @return [Float] MiB, with pages that processes share counted in parts
    def pss = Raffia::Process::Memory.total_pss(pids) / 1024.0**2

    # Memory without the pages of files: neighbours that map the same libraries do not change it.
    # @return [Float] MiB
    def anonymous
      pids.sum { |pid| File.read("/proc/#{pid}/smaps_rollup")[/^Pss_Anon:\s+(\d+)/, 1].to_i } / 1024.0
    end

    # @return [Array<Integer>]
    def pids = @pid ? [@pid, *living(@pid)] : []

    private

    # The kernel's clock of a process's CPU time: clock_getcpuclockid(3) in one line.
    def of(pid)
      Process.clock_gettime((~pid << 3) | 2)
    rescue Errno::EINVAL
      0 # it has ended meanwhile
    end

    # CPU of its ended children.
    def ended(pid)
      File.read("/proc/#{pid}/stat").rpartition(")").last.split.values_at(13, 14).sum(&:to_i) * TICK
    rescue Errno::ENOENT, Errno::ESRCH
      0
    end

    def living(pid)
      children = Dir["/proc/#{pid}/task/*/children"]
        .flat_map { |file| File.read(file).split.map(&:to_i) }
      children + children.flat_map { |child| living(child) }
    rescue Errno::ENOENT, Errno::ESRCH
      []
    end
  end
end
