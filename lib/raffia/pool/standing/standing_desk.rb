# frozen_string_literal: true

module Raffia
  class Pool
    # --- What the drivers of a long-lived pool report to; see {Driver}. Not for users.

    # @api private
    attr_reader :feed

    # What was cancelled while it waited is not worth a worker's time. Where blocks run here, each
    # looks for itself.
    # @api private
    def admit(chunk)
      return chunk unless elsewhere?

      wanted = chunk.items.select(&:start)
      if wanted.size == chunk.size
        chunk
      else
        (Chunk.new(chunk.first, wanted.size, items: wanted) unless wanted.empty?)
      end
    end

    # @api private
    def complete(chunk, reply)
      return unless reply # futures that ran here

      @false_starts = 0
      @sizer.learn(chunk.size, reply.seconds)
      settle(chunk, reply.value)
    end

    # One of the chunk could not be handed over; the others can still be.
    # @api private
    def refuse(chunk, error)
      chunk.items[error.item_index - chunk.first].reject(Work.failure(error, 0))
      put_back(chunk.items.reject(&:done?))
    end

    # A worker is gone. What it had finished without saying so, and what it was at, is lost with it;
    # the rest goes to others.
    # @api private
    def crash(error, seat)
      return give_up(error) unless seat

      @guard.hold { @counts[:replaced] += 1 }
      hopeless = hopeless?(error, seat)
      begun = (error.is_a?(WorkerDied) && !hopeless) ? seat.begun || -1 : Float::INFINITY
      lost, rest = seat.posted.flat_map { |chunk| chunk.items.zip(chunk.first..) }
        .partition { |_, index| index <= begun }
      seat.posted.clear
      lost.each { |future, _| future.reject(Work.failure(for_one(error, future), 0)) }
      put_back(rest.map(&:first))
      give_up(error) if hopeless
    end

    # @api private
    def left
      @guard.hold do
        seat = @seats.delete(::Fiber.current)
        @counts[:replaced] += seat.replaced if seat
      end
    end

    # A driver's thread has ended. When that was not because all is done, the next one takes over.
    # @api private
    def vacant = man

    # @api private
    def exclusive(&) = @guard.hold(&)

    # Somebody waits for this future: if he is one of our own workers, all of us might be waiting
    # like him, so he does it.
    # @api private
    def help(future)
      future.run if own_worker? && !elsewhere? && future.status == :pending
    end

    # A future has ended. Under the guard.
    # @api private
    def forget(future)
      @open.delete(future)
      @counts[future.status] += 1
    end

    private

    # Whether the block runs where it can only be by having been there from the start.
    def elsewhere? = !@strategy.portable?

    # @return [Proc] makes a seat for a worker
    def seats(options)
      raise ConfigError, need_block if elsewhere? && !@work

      elsewhere = @strategy.seats(Plan.new(:settle, @work, Work::NOTHING), nil, @sizer, options)
      elsewhere? ? elsewhere : -> { FutureSeat.new { |future| serve(future) } }
    end

    def serve(future)
      @crew.spread(@feed) if @crew.is_a?(FiberHost)
      future.run
    end

    # A fresh start, after a fork too: the parent's workers and what they have are the parent's.
    def start_over
      @seats = {}.compare_by_identity
      @most = 0
      @feed = QueueFeed.new(@sizer, @workers, limit: @queue, running: false, items: Lanes.new,
        idle: @idle)
      @guard = SpinLock.new
      @open = {}.compare_by_identity
      @halted = {}.compare_by_identity # seats whose end is meant
      @false_starts = 0
      @pauses = Pauses.new { |future| resume(future) }
      @crew = @strategy.standing_crew&.new(self, @workers) { take_seat }
    end

    def take_seat
      seat = @make_seat.call
      @guard.hold do
        lost = @seats[::Fiber.current]
        @counts[:replaced] += 1 + lost.replaced if lost
        @seats[::Fiber.current] = seat
        @most = @seats.size if @seats.size > @most
      end
      seat
    end

    # See that somebody does what waits.
    def man
      return unless @crew.wanted?(@feed)

      # Fiber storage is inherited, and a worker serves others than who happens to be here first.
      ::Fiber.new(blocking: true, storage: {}) { @crew.grow(@feed) }.resume
    end

    def put_back(futures)
      return futures.each { |future| future.cut_off(:pool_terminated) } if @terminated

      @feed.unshift(futures.each(&:put_back))
    end

    # Each future has a WorkerDied that names its own item.
    def for_one(error, future)
      return error unless error.is_a?(WorkerDied)

      WorkerDied.new(pid: error.pid, signal: error.signal, status: error.status,
        item: future.subject, index: future.number)
        .tap { |own| own.set_backtrace(error.backtrace) }
    end

    # Whether workers die one after the other before they have begun anything.
    def hopeless?(error, seat)
      return false unless error.is_a?(WorkerDied) && seat.begun.nil?

      @guard.hold { (@false_starts += 1) > Retries::FALSE_STARTS && (@false_starts = 0) } && true
    end

    # No worker could be had at all. Whoever waits hears why, rather than waiting for ever.
    def give_up(error)
      @feed.drain.each { |future| future.reject(Work.failure(for_one(error, future), 0)) }
    end

    def settle(chunk, settled)
      failures = settled.failures
      chunk.items.each_with_index do |future, position|
        failure = failures && failures[position]
        failure ? future.reject(failure) : future.fulfil(settled.values[position])
      end
    end

    def own_worker? = @seats.key?(::Fiber.current)
  end
end
