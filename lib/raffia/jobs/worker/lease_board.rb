# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../process/experimental"

module Raffia
  module Jobs
    class Worker
      # Memory that a worker shares with its {LeaseMonitor}: the lease, when it was last renewed,
      # and which jobs have begun. A memory write says so for each job, and it outlives kill -9 of
      # the worker.
      #
      # Layout, in words of 64 bits: token, ttl in milliseconds, time of the last renewal, how the
      # worker leaves, and for how many seconds the monitor has seen it run; then three for each
      # job: both integers of {Claim#key}, and whether it has begun.
      #
      # @api private
      class LeaseBoard
        HEAD = 5
        SLOT = 3
        WORD = 8
        LEAVES = 1
        INTERRUPTS = 2
        private_constant :HEAD, :SLOT, :WORD, :LEAVES, :INTERRUPTS

        # @param limit [Integer] jobs that there can be at a time
        def initialize(limit)
          @limit = limit
          @memory = Process::Experimental.silently do
            ::IO::Buffer.new((HEAD + limit * SLOT) * WORD,
              ::IO::Buffer::MAPPED | ::IO::Buffer::SHARED)
          end
          @free = Array.new(limit) { |index| limit - 1 - index }
        end

        # @param lease [Lease] that was enrolled just now
        # @return [void]
        def lease=(lease)
          set(1, (lease.ttl * 1000).to_i)
          renewed
          set(0, lease.token)
        end

        # @return [Integer] 0 before there is one
        def token = get(0)

        # @return [Float] seconds
        def ttl = get(1) / 1000.0

        # The lease was renewed just now.
        # @return [void]
        def renewed = @memory.set_value(:f64, 2 * WORD, Clock.now)

        # @return [Float] when the lease was last renewed, in the time of {Clock}
        def renewed_at = @memory.get_value(:f64, 2 * WORD)

        # @return [Float] seconds for which the worker ran, and was not stopped: never more than
        #   that
        def observed = @memory.get_value(:f64, 4 * WORD)

        # @param seconds [Float]
        def observed=(seconds)
          @memory.set_value(:f64, 4 * WORD, seconds)
        end

        # The lease was given back.
        # @return [void]
        def forget = set(0, 0)

        # The worker has been told to end: if it dies from now on, no job is the reason.
        # @return [void]
        def leave = leaving? || set(3, LEAVES)

        # @return [Boolean]
        def leaving? = get(3) != 0

        # The worker has been told to end now: suspects are interrupted, too.
        # @return [void]
        def interrupt = set(3, INTERRUPTS)

        # @return [Boolean]
        def interrupting? = get(3) == INTERRUPTS

        # @param key [Array(Integer, Integer)] of a claim
        # @return [Integer] its slot, for {begin} and {release}
        def reserve(key)
          slot = @free.pop or raise Error, "more than #{@limit} jobs at a time"
          place = HEAD + slot * SLOT
          set(place, key[0])
          set(place + 1, key[1])
          slot
        end

        # The job of this slot begins. From any process that has this memory.
        # @return [void]
        def begin(slot) = set(HEAD + slot * SLOT + 2, 1)

        # The job of this slot has ended.
        # @return [void]
        def release(slot)
          set(HEAD + slot * SLOT + 2, 0)
          @free.push(slot)
        end

        # @return [Array<Array(Integer, Integer)>] keys of the claims that have begun and not ended
        def begun
          (HEAD...HEAD + @limit * SLOT).step(SLOT)
            .filter_map { |place| [get(place), get(place + 1)] if get(place + 2) == 1 }
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
