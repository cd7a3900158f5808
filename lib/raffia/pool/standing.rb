# frozen_string_literal: true

require_relative "../base/fork"
require_relative "../task"
require_relative "future"
require_relative "options"
require_relative "pauses"
require_relative "queue_feed"
require_relative "retries"
require_relative "strategy"
require_relative "work"

module Raffia
  class Pool
    # How many pieces of work may wait when nothing else is said.
    QUEUE = 1_000

    # @return [Symbol] the strategy
    attr_reader :on

    # A pool for the time of a block: it is shut down at the block's end, and terminated when that ends with an exception.
    #
    #     Raffia::Pool.open(on: :threads) { |pool| pool.submit { ... } }
    #
    # @param work [#call, nil] what each worker does, where +new+ would take a block
    # @yieldparam pool [Pool]
    # @return [Object] the block's value
    def self.open(work: nil, **options)
      pool = new(**options, &work)
      value = yield pool
      pool.shutdown
      value
    ensure
      pool&.terminate
    end

    # @param on [Symbol] +:inline+, +:fibers+, +:threads+, +:ractors+ or +:processes+
    # @param workers [Integer, nil] at most so many; by default as Raffia.map has it. They are started when there is work
    # @param queue [Integer] how much may wait; then +submit+ waits too
    # @param limits [Hash] +item_timeout:+, +retries:+, +backoff:+ and +retry_on:+ as Raffia.map has them
    # @yield what each worker does with what is submitted; +:processes+ and +:ractors+ need it
    # @raise [ConfigError]
    # @raise [NotShareable] on +:ractors+, when the block captures what no other Ractor may see
    def initialize(on: :threads, workers: nil, queue: QUEUE, **limits, &work)
      Check.count(:queue, queue)
      @strategy = Strategy.fetch(on)
      Check.place(on, @strategy.standing_crew)
      options = Options.standing(workers: workers, **limits)
      @workers = @strategy.workers(options)
      @on = on
      @queue = queue
      @work = work
      @retries = Retries.for(options)
      @item_timeout = options.item_timeout
      @counts = {submitted: 0, done: 0, failed: 0, cancelled: 0}
      @closed = @terminated = false
      @sizer = ChunkSize.new(nil, target: elsewhere? ? @strategy.target : 0.0)
      @make_seat = @strategy.seats(plan, nil, @sizer, elsewhere? ? options : options.with(item_timeout: nil))
      start_over
      @fork = Fork.after_child { start_over }
    end

    # Hand in a piece of work. Waits while the queue is full.
    #
    # @param arguments what the block is called with
    # @yield the work, where the pool can take one: on +:processes+ and +:ractors+ it cannot
    # @return [Future]
    # @raise [Closed] after {#shutdown}
    # @raise [ConfigError] when there is no block, or one that cannot be sent to the workers
    def submit(*arguments, &block)
      future = enter(arguments, work_for(block))
      return future.tap(&:run) unless @crew

      queue(future)
      man
      future
    end

    # Run the pool's block over the items, on warm workers.
    #
    # @param items [#each]
    # @return [Array] the results, in the order of the items
    # @raise [Exception] the first error in that order; what has not begun then is cancelled
    def map(items, &block)
      futures = []
      items.each { |item| futures << submit(item, &block) }
      results = futures.map(&:value)
    ensure
      futures&.each(&:withdraw) unless results
    end

    # Take no more work, and wait until what there is has been done.
    # @param timeout [Numeric, nil] seconds to wait at most
    # @return [Boolean] whether all is done
    # @raise [Error] from one of the pool's own workers
    def shutdown(timeout = nil)
      Check.seconds(:timeout, timeout)
      raise Error, "a worker cannot wait for the end of its own pool: shut it down from outside" if own_worker?

      @closed = true
      @pauses.close
      @feed.finish
      @fork.remove
      @crew.nil? || @crew.join(timeout)
    end

    # Stop now: what waits is cancelled, and what runs is stopped as its strategy allows: fibers where they wait, threads almost
    # anywhere, processes in any case; Ractors work on to the end of their chunk, without anybody waiting for it.
    # @return [void]
    def terminate
      @closed = @terminated = true
      @fork.remove
      @pauses.close
      @feed.close
      Raffia.shield { @crew&.stop(:pool_terminated) }
    ensure
      # Wherever the workers were when they were stopped: no one waits for ever.
      @guard.hold { @open.keys }.each { |future| future.cut_off(:pool_terminated) }
    end

    # @return [Boolean] whether it takes no more work
    def closed? = @closed

    # @return [Hash] on:, workers: (those that live), waiting:, and so far submitted:, done:, failed:, cancelled:; with pids: of
    #   worker processes
    def stats
      seats = @seats.values
      pids = seats.filter_map(&:pid)
      {on: @on, workers: seats.size, waiting: @feed.size, **@counts, **(pids.empty? ? {} : {pids: pids})}
    end

    # @return [String]
    def inspect = "#<#{self.class} on: #{@on.inspect} workers: #{@seats.size}/#{@workers}#{" closed" if @closed}>"
  end
end

require_relative "standing_desk"
require_relative "standing_rescue"
