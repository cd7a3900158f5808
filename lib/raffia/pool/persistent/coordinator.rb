# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../executor"
require_relative "../../task"
require_relative "../chunk_size"
require_relative "../plan"
require_relative "../queue_feed"
require_relative "../retry/policy"
require_relative "fair_queue"
require_relative "future_registry"
require_relative "future_slot"
require_relative "recovery"
require_relative "slot_registry"

module Raffia
  class Pool
    # The parts of {Pool} behind its methods.
    #
    # @api private
    #
    # @api private
    module Persistent
      # Hands the futures of a pool to its worker loops, and settles them with what comes back.
      class Coordinator
        # @return [QueueFeed] of futures
        attr_reader :feed
        # @return [Class, nil] nil: the submitter does the work
        attr_reader :group
        # @return [Integer] worker loops at most
        attr_reader :workers
        # @return [Numeric, nil] seconds for an attempt, where blocks run here
        attr_reader :item_timeout
        attr_reader :futures
        attr_reader :slots

        # @param work [Proc, nil] of workers elsewhere
        # @param queue [Integer] futures that may wait
        # @param idle [Numeric, nil] seconds without work after which a worker leaves
        def initialize(strategy, options, work, queue:, idle:)
          @strategy = strategy
          @queue = queue
          @idle = idle
          @workers = strategy.workers(options)
          @item_timeout = options.item_timeout
          @retries = Retry::Policy.for(options)
          @sizer = ChunkSize.new(nil, target: local? ? 0.0 : strategy.chunk_seconds)
          @make_slot = slot_maker(options, work)
          @counts = {submitted: 0, done: 0, failed: 0, cancelled: 0, rejected: 0, replaced: 0}
          @terminated = false
          start_over
        end

        # A fresh start, after a fork too: the parent's workers and what they have are the parent's.
        def start_over
          @guard = SpinLock.new
          @futures = FutureRegistry.new(self, @guard, @counts)
          @slots = SlotRegistry.new(@guard, @counts)
          @feed = QueueFeed.new(@sizer, @workers, limit: @queue, running: false,
            items: FairQueue.new,
            idle: @idle)
          @recovery = Recovery.new(self, @guard, @retries)
          @group = @strategy.background_group&.new(self, @workers) { @slots.add(@make_slot.call) }
        end

        # Whether blocks run in the worker loops, so that any block will do.
        def local? = @strategy.local?

        # --- For worker loops, see {Executor::WorkerLoop}.

        # Futures that were cancelled while they waited are not worth a worker's time. Where blocks
        # run here, each looks for itself.
        def admit(chunk)
          return chunk if local?

          wanted = chunk.items.select(&:start)
          return chunk if wanted.size == chunk.size

          Chunk.new(chunk.first, wanted.size, items: wanted) unless wanted.empty?
        end

        def complete(chunk, reply)
          return unless reply # futures that ran here

          @recovery.worked
          @sizer.learn(chunk.size, reply.seconds)
          settle(chunk, reply.value)
        end

        # One of the chunk could not be handed over; the others can still be.
        def refuse(chunk, error)
          chunk.items[error.item_index - chunk.first].reject(Executor::Failure.of(error))
          put_back(chunk.items.reject(&:done?))
        end

        # @return [Boolean] whether another worker is to take this one's place
        def replace?(error, slot)
          @recovery.replace?(error, slot, interrupted: @slots.interrupted?(slot)) && !@terminated
        end

        def crash(error, slot)
          return @recovery.give_up(error) unless slot

          @guard.hold { @counts[:replaced] += 1 }
          @recovery.crash(error, slot)
        end

        def loop_ended = @slots.remove

        # When that was not because all is done, the next thread takes over.
        def thread_ended = employ

        # --- For futures.

        def exclusive(&) = @guard.hold(&)

        # A worker of the pool that waits for one of its futures does it: all might be waiting so.
        def help(future)
          future.run if local? && future.status == :pending && @slots.own?
        end

        # As {Recovery#again?}.
        def again?(...) = !@terminated && @recovery.again?(...)

        # Stop a future that runs.
        # @return [Symbol, false] see {Future#cancel}
        def interrupt(future, reason)
          return future.interrupt(reason) if local?
          return false unless future.cut_off(reason)

          @slots.interrupt(future)
        end

        # --- For the pool.

        # See that somebody does what waits.
        def employ
          return unless @group.wanted?(@feed)

          # Fiber storage is inherited, and a worker serves others than who happens to be here
          # first.
          ::Fiber.new(blocking: true, storage: {}) { @group.grow(@feed) }.resume
        end

        def put_back(futures)
          return futures.each { |future| future.cut_off(:pool_terminated) } if @terminated

          @feed.unshift(futures.each(&:put_back))
        end

        # @return [Boolean] whether all was done within that time
        def finish(timeout)
          @recovery.close
          @feed.finish
          @group.nil? || @group.join(timeout)
        end

        def terminate
          @terminated = true
          @recovery.close
          @feed.close
          Raffia.shield { @group&.stop(:pool_terminated) }
        ensure
          # Wherever the workers were when they were stopped: no one waits for ever.
          @futures.cut_off(:pool_terminated)
        end

        # @return [Hash] see {Pool#stats}
        def stats
          pids = @slots.pids
          {workers: @slots.size, idle: @feed.idle, most_workers: @slots.most, waiting: @feed.size,
           most_waiting: @feed.most, **@counts, replaced: @slots.replaced,
           **(pids.empty? ? {} : {pids: pids})}
        end

        private

        def slot_maker(options, work)
          plan = Plan.new(:settle, work, Work::NOTHING)
          slots = @strategy.slots(plan, nil, @sizer, options)
          local? ? -> { FutureSlot.new { |future| serve(future) } } : slots
        end

        def serve(future)
          @group.spread(@feed)
          future.run
        end

        def settle(chunk, outcomes)
          failures = outcomes.failures
          chunk.items.each_with_index do |future, position|
            failure = failures && failures[position]
            failure ? future.reject(failure) : future.fulfil(outcomes.values[position])
          end
        end
      end
    end
  end
end
