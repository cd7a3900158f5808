# frozen_string_literal: true

require_relative "../chunk"
require_relative "../future"
require_relative "../queue_feed"
require_relative "../strategy"
require_relative "fair_queue"
require_relative "recovery"
require_relative "slot_registry"

module Raffia
  class Pool
    # The parts of {Pool} behind its methods.
    #
    # @api private
    module Persistent
      # Makes a pool's futures, gives them to its worker loops, and settles them with what comes
      # back.
      class Coordinator
        attr_reader :feed, :group, :workers
        # Seconds for an attempt, where blocks run here.
        attr_reader :item_timeout
        # Held while a future, the counts or the slots change.
        attr_reader :lock
        attr_reader :slots

        # `work`: of workers elsewhere. `idle`: seconds without work after which a worker leaves.
        # `keep`: so many idle workers stay.
        def initialize(strategy, options, work, queue:, idle:, keep: 0)
          @strategy = strategy
          @queue = queue
          @idle = idle
          @keep = keep
          @local = strategy.local?
          @workers = strategy.capacity(options)
          @item_timeout = options.item_timeout
          @retries = Retry::Policy.new(options) if options.retries.positive?
          @sizer = ChunkSize.new(nil, target: @local ? 0.0 : strategy.granularity)
          plan = Plan.new(:settle, work, Work::NOTHING)
          slots = Strategy.slots(strategy, plan, nil, @sizer, options)
          @make_slot = @local ? -> { FutureSlot.new { @group.spread(@feed) } } : slots
          @counts = {submitted: 0, done: 0, failed: 0, cancelled: 0, rejected: 0, replaced: 0}
          @terminated = false
          start_over
        end

        # A fresh start, after a fork too: the parent keeps its workers and their futures.
        def start_over
          @lock = SpinLock.new
          @open = {}.compare_by_identity # futures that have not ended
          @slots = SlotRegistry.new(@lock, @counts)
          @feed = QueueFeed.new(@sizer, @workers, limit: @queue, running: false,
            items: FairQueue.new, idle: @idle, keep: @keep)
          @recovery = Recovery.new(self, @lock, @retries)
          @group = @strategy.background_group&.new(self, @workers) { @slots.add(@make_slot.call) }
        end

        def local? = @local

        # Futures that were cancelled while they waited are not sent. Where blocks run here, each
        # checks that itself.
        def admit(chunk)
          return chunk if @local

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

        def refuse(chunk, error)
          chunk.items[error.item_index - chunk.first].reject(Executor::Failure.of(error))
          put_back(chunk.items.reject(&:done?))
        end

        def replace?(error, slot)
          @recovery.replace?(error, slot, interrupted: @slots.interrupted?(slot)) && !@terminated
        end

        def crash(error, slot)
          return @recovery.give_up(error) unless slot

          @lock.hold { @counts[:replaced] += 1 }
          @recovery.crash(error, slot)
        end

        def loop_ended = @slots.remove

        def thread_ended = employ

        # A new future; nil when the block, under the lock, says that the pool takes no more.
        def add(arguments, work)
          @lock.hold do
            next unless yield

            future = Future.new(self, @counts[:submitted], arguments, work)
            @counts[:submitted] += 1
            @open[future] = true
            future
          end
        end

        def remove(future, outcome = future.status)
          @open.delete(future)
          @counts[outcome] += 1
        end

        # A worker that waits for a future of its own pool does it: all might be waiting so.
        def help(future)
          future.run if @local && future.status == :pending && @slots.own?
        end

        def again?(...) = !@terminated && @recovery.again?(...)

        def interrupt(future, reason)
          return future.interrupt(reason) if @local
          return false unless future.cut_off(reason)

          @slots.interrupt(future)
        end

        def employ
          return unless @group.wanted?(@feed)

          # Fiber storage is inherited, and a worker serves other callers too.
          ::Fiber.new(blocking: true, storage: {}) { @group.grow(@feed) }.resume
        end

        def put_back(futures)
          return futures.each { |future| future.cut_off(:pool_terminated) } if @terminated

          @feed.unshift(futures.each(&:put_back))
        end

        def finish(timeout)
          @recovery.close
          @feed.finish
          return true unless @group

          employ # for a call whose submitter has not come to that yet
          @group.join(timeout)
        end

        def terminate
          @terminated = true
          @recovery.close
          @feed.close
          Raffia.shield { @group&.stop(:pool_terminated) }
        ensure
          # No caller waits for ever, wherever the workers were stopped.
          @lock.hold { @open.keys }.each { |future| future.cut_off(:pool_terminated) }
        end

        def stats
          pids = @slots.pids
          {workers: @slots.size, idle: @feed.idle, most_workers: @slots.most, waiting: @feed.size,
           most_waiting: @feed.most, **@counts, replaced: @slots.replaced,
           **(pids.empty? ? {} : {pids: pids})}
        end

        private

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
