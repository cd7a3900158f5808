# frozen_string_literal: true

require_relative "../../native"
require_relative "run"

module Raffia
  module Jobs
    class Worker
      # Runs claimed jobs in recycled fibers, and knows which runs are in progress.
      #
      # A fiber that has finished a run does the next one that waits, with storage and locals reset:
      # that costs a fifth of a new fiber and its task. No fiber waits for work.
      #
      # @api private
      class Runner
        NAMED = 1000
        RECYCLES = Native.respond_to?(:reset_fiber)
        private_constant :RECYCLES

        attr_reader :limit

        def initialize(scope, limit, context)
          @scope = scope
          @limit = limit
          @context = context
          @executors = context.executors
          @shared_lease = context.shared_lease
          @runs = {}.compare_by_identity
          @waiting = []
          @capacity = @on_idle = nil
        end

        def size = @runs.size

        def empty? = @runs.empty?

        def to_a = @runs.keys

        # Each starts as soon as the one before it waits or ends.
        def start(claims)
          @waiting.concat(claims.map { |claim| add(Run.new(claim, @context)) })
          @scope.spawn { run_waiting } until @waiting.empty?
        end

        # Returns how many jobs may be claimed, after a wait if there are none, or after
        # {stop_waiting}.
        def wait_for_capacity
          while (capacity = self.capacity) <= 0
            @capacity = Waiter.new
            break if @capacity.wait == :stopped
          end
          capacity
        ensure
          @capacity = nil
        end

        def stop_waiting = @capacity&.settle(:stopped)

        # Yields when no run is in progress; at once if there is none now.
        def on_idle(&block)
          @on_idle = block
          yield if @runs.empty?
        end

        # Returns whether all runs have ended within so many seconds.
        def wait_until_idle(seconds)
          waiter = Waiter.new
          on_idle { waiter.settle }
          waiter.wait(seconds) != Waiter::TIMED_OUT
        end

        def find(jid) = to_a.find { |run| run.jid == jid }

        # Runs by the key of their claim whose outcome the store does not know yet.
        def unconcluded(lease)
          to_a.select { |run| run.claim.lease == lease && !run.concluded? }
            .to_h { |run| [run.claim.key, run] }
        end

        def work = to_a.first(NAMED).map(&:work)

        private

        # Jobs that would wait for their executor are left to other workers.
        def capacity
          spare = @executors.spare_capacity
          free = @limit - @runs.size
          (spare && spare < free) ? spare : free
        end

        def run_waiting
          storage = ::Fiber.current.storage || {}
          perform(@waiting.shift)
          while RECYCLES && (run = @waiting.shift)
            Native.reset_fiber(storage)
            perform(run)
          end
        end

        def perform(run)
          run.call
        ensure
          remove(run)
        end

        def add(run)
          @runs[run] = true
          run.slot = @shared_lease&.reserve(run.claim.key)
          run
        end

        def remove(run)
          @runs.delete(run)
          @shared_lease&.release(run.slot)
          @capacity&.settle
          @on_idle&.call if @runs.empty?
        end
      end
    end
  end
end
