# frozen_string_literal: true

require_relative "../../process/experimental_warning"

module Raffia
  module Jobs
    class Worker
      # Memory that a worker shares with its {LeaseMonitor}. Each job costs one memory write, which
      # outlives kill -9 of the worker.
      #
      # Words of 64 bits: token, ttl in milliseconds, time of the last renewal, whether the worker
      # stops, and seconds for which the monitor has seen it run; then three for each slot: both
      # integers of {Claim#key}, and whether its job has begun.
      # @api private
      class SharedLease
        HEADER = 5
        SLOT = 3
        WORD = 8
        STOPPING = 1
        INTERRUPTING = 2
        private_constant :HEADER, :SLOT, :WORD, :STOPPING, :INTERRUPTING

        def initialize(concurrency)
          @limit = concurrency
          @memory = Process::ExperimentalWarning.silence do
            ::IO::Buffer.new((HEADER + @limit * SLOT) * WORD,
              ::IO::Buffer::MAPPED | ::IO::Buffer::SHARED)
          end
          @free = Array.new(@limit) { |index| @limit - 1 - index }
        end

        def lease=(lease)
          set(1, (lease.ttl * 1000).to_i)
          renewed
          set(0, lease.token)
        end

        # 0 while there is no lease.
        def token = get(0)

        def ttl = get(1) / 1000.0

        def renewed = @memory.set_value(:f64, 2 * WORD, Clock.now)

        # By {Clock}.
        def renewed_at = @memory.get_value(:f64, 2 * WORD)

        # Seconds, at most, for which the worker ran and was not suspended.
        def observed = @memory.get_value(:f64, 4 * WORD)

        def observed=(seconds)
          @memory.set_value(:f64, 4 * WORD, seconds)
        end

        def clear = set(0, 0)

        # The worker stops: its death is no job's fault from now on.
        def mark_stopping = stopping? || set(3, STOPPING)

        def stopping? = get(3) != 0

        # Suspects are interrupted too.
        def mark_interrupting = set(3, INTERRUPTING)

        def interrupting? = get(3) == INTERRUPTING

        # Returns a slot for the claim of this key.
        def reserve(key)
          slot = @free.pop or raise Error, "more than #{@limit} jobs at a time"
          word = HEADER + slot * SLOT
          set(word, key[0])
          set(word + 1, key[1])
          slot
        end

        # From any process that shares this memory.
        def begin(slot) = set(HEADER + slot * SLOT + 2, 1)

        def release(slot)
          set(HEADER + slot * SLOT + 2, 0)
          @free.push(slot)
        end

        # Keys of the claims whose jobs have begun and not ended.
        def begun
          (HEADER...HEADER + @limit * SLOT).step(SLOT)
            .filter_map { |word| [get(word), get(word + 1)] if get(word + 2) == 1 }
        end

        private

        def get(word) = @memory.get_value(:s64, word * WORD)

        def set(word, number)
          @memory.set_value(:s64, word * WORD, number)
        end
      end
    end
  end
end
