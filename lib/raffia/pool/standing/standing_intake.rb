# frozen_string_literal: true

module Raffia
  class Pool
    # --- How work comes into a long-lived pool. Not for users.

    # Items of a collection that is there already are handed in together, so many.
    BATCH = 100
    private_constant :BATCH

    private

    # What comes item by item must not wait for its neighbours.
    def batches(items, &)
      case items
      when Array, Range then items.each_slice(BATCH, &)
      else items.each { |item| yield [item] }
      end
    end

    def submit_all(items, work, futures)
      batch = items.map { |item| enter([item], work) }
      futures.concat(batch)
      return batch.each(&:run) unless @crew

      until batch.empty?
        batch.shift(@feed.push_all(batch)).first(@workers).each { man }
        # Nobody waits for room before there are workers to make it.
        queue(batch.shift, overflow: :block) unless batch.empty?
      end
    end

    def enter(arguments, work)
      @guard.hold do
        raise closed if @closed

        future = Future.new(self, @counts[:submitted], arguments, work)
        @counts[:submitted] += 1
        @open[future] = true
        future
      end
    end

    def queue(future, overflow: @overflow)
      outcome = @feed.push(future, full: when_full(overflow))
      raise closed if outcome == :closed

      taken = true
      (outcome == :added) ? man : overflow(future)
    ensure
      future.cut_off(:not_submitted) unless taken
    end

    # A worker that waited for room would be one less to make some.
    def when_full(overflow)
      return :refuse unless overflow == :block

      own_worker? ? :add : :wait
    end

    def overflow(future)
      return future.run if @overflow == :caller_runs

      @guard.hold do
        @open.delete(future)
        @counts[:rejected] += 1
      end
      raise Full.new("#{@queue} pieces of work wait already, which is this pool's limit: submit " \
      "it later, give the pool a larger queue:, " \
        "or overflow: :block to wait for room", limit: @queue)
    end

    def check_overflow(name)
      return if OVERFLOW.include?(name)

      raise ConfigError, "overflow: #{name.inspect} is nothing that a full queue can do: use one " \
        "of #{OVERFLOW.map(&:inspect).join(", ")}"
    end

    def work_for(block)
      raise ConfigError, need_block if block && elsewhere?

      block || @work ||
        raise(ConfigError, "submit was called without a block: give it the work, or give the " \
          "pool its block when it is made")
    end

    def need_block
      "a block cannot be sent to #{@on} that run already: give it to Raffia::Pool.new(on: " \
      "#{@on.inspect}) { |argument| ... } and " \
        "submit the arguments"
    end

    def closed = Closed.new("the pool has been shut down and takes no more work: make a new one")
  end
end
