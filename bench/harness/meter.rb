# frozen_string_literal: true

require "raffia/process/memory"
require_relative "syscalls"

module Bench
  # Reads what a process has used, at marks. It blocks while it reads, so that it never runs through
  # a scheduler's hooks.
  class Meter
    Reading = Data.define(:wall, :cpu, :user, :allocated, :rss, :syscalls)

    # @param pid [Integer] the process that does the work; what only that process itself knows is
    #   nil for another one
    # @param count [Boolean] count system calls too, which makes them slower
    # @param descendants [Boolean] whether the CPU time of the processes that it has started is its
    #   own
    def initialize(pid: Process.pid, count: false, descendants: false)
      @pid = pid
      @descendants = descendants
      @count = count
      @readings = {}
    end

    # @return [Integer] how many operations happened between the marks :begin and :end
    attr_accessor :operations

    # Garbage of the warm-up is not the work's.
    def collect
      GC.start if own?
    end

    def mark(name)
      Fiber.blocking do
        @syscalls ||= Syscalls.new(*pids) if @count && name == :begin
        @readings[name] = read
      end
    end

    # @return [Hash] the sample: totals between the two marks, for each operation where the name
    #   says so
    def sample(from = :begin, to = :end)
      first, last = @readings.fetch_values(from, to)
      cpu = last.cpu - first.cpu
      wall = last.wall - first.wall
      {
        operations:, wall:, cpu:, cpu_us: cpu * 1e6 / operations, rate: operations / wall,
        user_us: own? ? (last.user - first.user) * 1e6 / operations : nil,
        allocations: own? ? (last.allocated - first.allocated).fdiv(operations) : nil,
        syscalls: @count ? (last.syscalls - first.syscalls).fdiv(operations) : nil
      }
    end

    # @return [Float] KiB that the process grew by between :idle and :parked, for each of them
    def kib_each(parked)
      first, last = @readings.fetch_values(:idle, :parked)
      (last.rss - first.rss) / 1024.0 / parked
    end

    # @return [Array<Integer>] whose work is measured
    def pids = @descendants ? [@pid, *living(@pid)] : [@pid]

    # @return [Integer] bytes, with pages that processes share counted in parts
    def pss = Raffia::Process::Memory.total_pss(pids)

    private

    def own? = @pid == Process.pid

    def read
      Reading.new(syscalls: @syscalls&.total,
        allocated: own? ? GC.stat(:total_allocated_objects) : nil, rss: resident,
        user: own? ? Process.times.utime : nil, cpu: cpu,
        wall: Process.clock_gettime(Process::CLOCK_MONOTONIC))
    end

    def cpu = pids.sum { |pid| of(pid) } + (@descendants ? ended : 0)

    # The kernel's clock of a process's CPU time, with all of its threads, those of io_uring too:
    # clock_getcpuclockid(3) in one line.
    def of(pid)
      Process.clock_gettime((~pid << 3) | 2)
    rescue Errno::EINVAL
      0 # it has ended meanwhile
    end

    def ended = Process.times.then { |times| times.cutime + times.cstime }

    def living(pid)
      children = Dir["/proc/#{pid}/task/*/children"]
        .flat_map { |file| File.read(file).split.map(&:to_i) }
      children + children.flat_map { |child| living(child) }
    rescue Errno::ENOENT, Errno::ESRCH
      []
    end

    def resident = File.read("/proc/#{@pid}/statm").split[1].to_i * 4096
  end
end
