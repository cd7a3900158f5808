# frozen_string_literal: true

require_relative "../harness/syscalls"

module JobsBench
  # Counts a worker's calls of the kernel and of the database's server; nil where they cannot be
  # counted.
  class Counters
    FLUSHES = %w[syscalls/sys_enter_fsync syscalls/sys_enter_fdatasync].freeze

    # @param worker [Usage]
    # @param server [Usage]
    # @param database [Databases::Folder]
    def initialize(worker, server, database)
      @database = database
      @pids = [worker.pids, server.pids]
      @calls = count(worker.pids, Bench::Syscalls::ALL)
      @flushes = FLUSHES.map { |event| count(worker.pids + server.pids, event) }
      @last = read
    end

    # @return [Hash] what has come since the last lap, by operation
    def lap(operations, prefix)
      now = read
      found = now.to_h do |name, value|
        [:"#{prefix}#{name}", value && (value - @last[name]).fdiv(operations)]
      end
      @last = now
      found
    end

    private

    def count(pids, event) = (Bench::Syscalls.new(*pids, event:) unless Bench::Syscalls.trouble)

    def read
      {calls: @calls&.total, fsyncs: (@flushes.sum(&:total) if @flushes.all?), requests: asked}
    end

    # Asking is a request itself, and so is hanging up.
    def asked
      requests = @database.requests or return
      @asked = @asked ? @asked + 2 : 1
      requests - @asked
    end
  end
end
