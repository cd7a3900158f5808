# frozen_string_literal: true

module Bench
  # Counts the system calls of a process from inside of the kernel (the tracepoint
  # raw_syscalls:sys_enter, as `perf stat` does), which is hundreds of times cheaper than strace,
  # and can be read between two operations.
  class Syscalls
    ALL = "raw_syscalls/sys_enter"
    NUMBER = {"x86_64" => 298, "aarch64" => 241}[RbConfig::CONFIG["host_cpu"]] # perf_event_open
    TRACEPOINT = 2
    INHERIT = 2
    CLOSE_ON_EXEC = 8

    # @return [String, nil] why they cannot be counted here
    def self.trouble
      return "perf_event_open has no number here for this processor" unless NUMBER
      unless File.readable?(id(ALL))
        return "#{id(ALL)} cannot be read: it needs root, and tracefs mounted"
      end

      new(Process.pid).close
      nil
    rescue SystemCallError => error
      "perf_event_open: #{error.message}"
    end

    # @param event [String] a tracepoint
    # @return [String] the file with its number
    def self.id(event) = "/sys/kernel/tracing/events/#{event}/id"

    # Threads and processes that the process starts later are counted as well.
    # @param event [String] only these calls
    def initialize(*pids, event: ALL)
      @event = File.read(Syscalls.id(event)).to_i
      @counters = pids.flat_map { |pid| threads(pid) }
        .filter_map { |thread| open_counter(thread.to_i) }
    end

    def total = @counters.sum { |io| io.sysread(8).unpack1("Q") }

    def close = @counters.each(&:close)

    private

    def threads(pid)
      Dir.children("/proc/#{pid}/task")
    rescue Errno::ENOENT
      [] # a process that has ended since it was listed
    end

    def open_counter(thread)
      attributes = [TRACEPOINT, 64, @event, 0, 0, 0, INHERIT, 0, 0, 0].pack("LLQQQQQLLQ")
      address = [attributes].pack("p").unpack1("J") # as a String it must not have zero bytes
      IO.for_fd(Kernel.syscall(NUMBER, address, thread, -1, -1, CLOSE_ON_EXEC), "rb")
    rescue Errno::ESRCH
      nil # a thread that ended since it was listed
    end
  end
end
