# frozen_string_literal: true

module Raffia
  class Pool
    module Persistent
      # Takes work into a pool: checks it, queues it, and handles a full queue.
      #
      # @api private
      class Submission
        # Items of an Array or a Range are submitted together, so many.
        BATCH = 100
        private_constant :BATCH

        def initialize(coordinator, on, work, queue, overflow)
          @coordinator = coordinator
          @on = on
          @work = work
          @queue = queue
          @overflow = overflow
          @closed = false
        end

        def self.check(strategy, on, work)
          raise ConfigError, need_block(on) unless strategy.local? || work
        end

        def self.need_block(on)
          "a block cannot be sent to #{on} that run already: give it to " \
            "Raffia::Pool.new(on: #{on.inspect}) { |argument| ... } and submit the arguments"
        end

        def submit(arguments, block)
          future = enter(arguments, work_for(block))
          return future.tap(&:run) unless @coordinator.group

          queue(future)
          future
        end

        def submit_all(items, block, futures)
          work = work_for(block)
          batches(items) { |batch| submit_batch(batch, work, futures) }
        end

        def closed? = @closed

        def close = @closed = true

        private

        # Items that come one by one must not wait for their neighbours.
        def batches(items, &)
          case items
          when Array, Range then items.each_slice(BATCH, &)
          else items.each { |item| yield [item] }
          end
        end

        def submit_batch(items, work, futures)
          batch = items.map { |item| enter([item], work) }
          futures.concat(batch)
          return batch.each(&:run) unless @coordinator.group

          until batch.empty?
            added = batch.shift(@coordinator.feed.push_all(batch))
            added.first(@coordinator.workers).each { @coordinator.employ }
            # Workers first, then a wait for the room that they make.
            queue(batch.shift, overflow: :block) unless batch.empty?
          end
        end

        def enter(arguments, work)
          @coordinator.add(arguments, work) { !@closed } or raise closed
        end

        def queue(future, overflow: @overflow)
          outcome = @coordinator.feed.push(future, full: when_full(overflow))
          raise closed if outcome == :closed

          taken = true
          (outcome == :added) ? @coordinator.employ : overflow(future)
        ensure
          future.cut_off(:not_submitted) unless taken
        end

        # A worker that waited for room would be one less to make some.
        def when_full(overflow)
          return :refuse unless overflow == :block

          @coordinator.slots.own? ? :add : :wait
        end

        def overflow(future)
          return future.run if @overflow == :caller_runs

          @coordinator.lock.hold { @coordinator.remove(future, :rejected) }
          raise Full.new("#{@queue} pieces of work wait already, which is this pool's limit: " \
            "submit it later, give the pool a larger queue:, or overflow: :block to wait for room",
            limit: @queue)
        end

        def work_for(block)
          raise ConfigError, Submission.need_block(@on) if block && !@coordinator.local?

          block || @work ||
            raise(ConfigError, "submit was called without a block: give it the work, " \
            "or give the pool its block when it is made")
        end

        def closed
          Closed.new("the pool has been shut down and takes no more work: make a new one")
        end
      end
    end
  end
end
