# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../process/memory"

module Raffia
  module Executor
    module Processes
      # When a worker process is to be replaced: after so many calls, so much memory of its own, so
      # many seconds. Asked between messages.
      class RecyclePolicy
        # How many messages a process's calls should make at least: a rest that is shorter than a
        # message is lost.
        SHARES = 8

        # The longest message that wastes little of a process's calls.
        def self.batch_limit(limits)
          most = limits.max_tasks
          most && [limits.chunk || most.ceildiv(SHARES), most].min
        end

        def initialize(limits, pid)
          @limits = limits
          @pid = pid
          @tasks = 0
          @started = Clock.now if limits.max_age
          # Its parent's memory is not its own.
          @least = Process::Memory.resident(pid) if limits.max_memory
        end

        def add(count) = @tasks += count

        # Whether another process should have them.
        def due?(count)
          max = @limits.max_tasks
          return true if max && @tasks + count > max && @tasks.positive?

          old? || (@least && grown > @limits.max_memory) || false
        end

        private

        def old? = @started && Clock.now - @started >= @limits.max_age

        # It counts from the least that was seen: a child may free much of what it inherited, as
        # garbage, and fill the room again.
        def grown
          now = Process::Memory.resident(@pid) || @least
          @least = [@least, now].min
          now - @least
        end
      end
    end
  end
end
