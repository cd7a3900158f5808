# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "../../task"
require_relative "future"
require_relative "future_seat"
require_relative "lanes"
require_relative "../options"
require_relative "../retry/pauses"
require_relative "../queue_feed"
require_relative "../retry/retries"
require_relative "../strategy"
require_relative "../work"

module Raffia
  class Pool
    # How many pieces of work may wait when nothing else is said.
    QUEUE = 1_000
    # Seconds without work after which a worker leaves when nothing else is said.
    IDLE = 60
    # What a full queue may do to +submit+.
    OVERFLOW = %i[block reject caller_runs].freeze

    # @return [Symbol] the strategy
    attr_reader :on

    # A pool for the time of a block: it is shut down at the block's end, and terminated when that
    # ends with an exception.
    #
    #     Raffia::Pool.open(on: :threads) { |pool| pool.submit { ... } }
    #
    # @param work [#call, nil] what each worker does, where +new+ would take a block
    # @yieldparam pool [Pool]
    # @return [Object] the block's value
    def self.open(work: nil, **options)
      pool = new(work: work, **options)
      value = yield pool
      pool.shutdown
      value
    ensure
      pool&.terminate
    end

    # @param on [Symbol] +:inline+, +:fibers+, +:threads+, +:ractors+ or +:processes+
    # @param workers [Integer, nil] at most so many; by default as Raffia.map has it. They are
    #   started when there is work
    # @param queue [Integer] how much may wait
    # @param overflow [Symbol] what +submit+ does when so much waits: +:block+ waits for room,
    #   +:reject+ raises Full, +:caller_runs+ does the work where it was called
    # @param idle [Numeric, nil] seconds without work after which a worker leaves; nil: they stay
    # @param work [#call, nil] what a block would be: one of them
    # @param limits [Hash] +item_timeout:+, +retries:+, +backoff:+ and +retry_on:+ as Raffia.map has
    #   them; +max_tasks:+, +max_memory:+, +max_age:+ and +move:+ likewise
    # @yield what each worker does with what is submitted; +:processes+ and +:ractors+ need it
    # @raise [ConfigError]
    # @raise [NotShareable] on +:ractors+, when the block captures what no other Ractor may see
    def initialize(on: :threads, workers: nil, queue: QUEUE, overflow: :block, idle: IDLE,
      work: nil, **limits, &block)
      Check.count(:queue, queue)
      Check.seconds(:idle, idle)
      check_overflow(overflow)
      @strategy = Strategy.fetch(on)
      Check.place(on, @strategy.standing_crew)
      options = Options.standing(workers: workers, **limits)
      @workers = @strategy.workers(options)
      @on = on
      @queue = queue || QUEUE
      @overflow = overflow
      @idle = idle
      @work = Check.work(work, block)
      @retries = Retries.for(options)
      @item_timeout = options.item_timeout
      @counts = {submitted: 0, done: 0, failed: 0, cancelled: 0, rejected: 0, replaced: 0}
      @closed = @terminated = false
      @sizer = ChunkSize.new(nil, target: elsewhere? ? @strategy.target : 0.0)
      @make_seat = seats(options)
      start_over
      @fork = Fork.after_child { start_over }
    end

    # Hand in a piece of work. When the queue is full, this waits, or does what +overflow:+ says.
    #
    # Several who submit take turns: nobody's work waits behind all that somebody else has handed in
    # before.
    #
    # @param arguments what the block is called with
    # @yield the work, where the pool can take one: on +:processes+ and +:ractors+ it cannot
    # @return [Future]
    # @raise [Closed] after {#shutdown}
    # @raise [Full] when the queue is, with +overflow: :reject+
    # @raise [ConfigError] when there is no block, or one that cannot be sent to the workers
    def submit(*arguments, &block)
      future = enter(arguments, work_for(block))
      return future.tap(&:run) unless @crew

      queue(future)
      future
    end

    # Run the pool's block over the items, on warm workers. It waits for room in the queue, whatever
    # +overflow:+ says.
    #
    # @param items [#each]
    # @return [Array] the results, in the order of the items
    # @raise [Exception] the first error in that order; what has not begun then is cancelled
    def map(items, &block)
      futures = []
      work = work_for(block)
      batches(items) { |batch| submit_all(batch, work, futures) }
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
      if own_worker?
        raise Error, "a worker cannot wait for the end of its own pool: shut it down from outside"
      end

      @closed = true
      @pauses.close
      @feed.finish
      @fork.remove
      @crew.nil? || @crew.join(timeout)
    end

    # Stop now: what waits is cancelled, and what runs is stopped as its strategy allows: fibers
    # where they wait, threads almost anywhere, processes in any case; Ractors work on to the end of
    # their chunk, without anybody waiting for it.
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

    # @return [Hash] on:; of workers: workers: (those that live), idle:, most_workers: (that ever
    #   lived at once), replaced: (that died at work, or had served their time); of work: waiting:,
    #   most_waiting:, and so far submitted:, done:, failed:, cancelled:, rejected:; with pids: of
    #   worker processes
    def stats
      seats = @seats.values
      pids = seats.filter_map(&:pid)
      {on: @on, workers: seats.size, idle: @feed.idle, most_workers: @most, waiting: @feed.size,
       most_waiting: @feed.most, **@counts,
       replaced: @counts[:replaced] + seats.sum(&:replaced), **(pids.empty? ? {} : {pids: pids})}
    end

    # @return [String]
    def inspect
      "#<#{self.class} on: #{@on.inspect} workers: " \
        "#{@seats.size}/#{@workers}#{" closed" if @closed}>"
    end
  end
end

require_relative "standing_intake"
require_relative "standing_desk"
require_relative "standing_rescue"
