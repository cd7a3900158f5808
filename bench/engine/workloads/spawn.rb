# frozen_string_literal: true

require_relative "../workload"

module EngineBench
  # Start a block and let it end. It waits for each thousand of them, because a scheduler that
  # starts blocks later, or does not let others run on sleep(0), would keep all of them alive
  # otherwise, and the kernel maps only some 30,000 fibers' stacks.
  class Spawn < Workload
    BATCH = 1_000

    private

    def call(count)
      @batch = Thread::Queue.new
      (count / BATCH).times do
        batch
        @batch.pop
      end
    end

    def batch
      BATCH.times { spawn { done } }
    end

    def done
      @batch << true if ((@right += 1) % BATCH).zero?
    end
  end

  # The same for blocks that wait once.
  class SpawnWait < Spawn
    private

    def batch
      queue = Thread::Queue.new
      BATCH.times { spawn { queue.pop && done } }
      BATCH.times { queue << true }
    end
  end
end
