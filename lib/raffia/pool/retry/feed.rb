# frozen_string_literal: true

module Raffia
  class Pool
    # Further attempts of items that failed.
    #
    # @api private
    module Retry
      # A feed that takes chunks back, to give them out again at once or after a pause. Its workers
      # stay while a chunk may come back: one that dies at the end with a long chunk leaves that to
      # all of them.
      class Feed
        def initialize(feed, ended:, alone: false)
          @feed = feed
          @ended = ended
          @alone = alone
          @closed = false
          @again = [] # times and chunks, by time
          @out = 0 # items taken, and neither done nor given back
          @idle = 0
          @lock = Thread::Mutex.new
          @news = Thread::ConditionVariable.new
        end

        attr_writer :alone

        def push(item)
          @feed.push(item).tap { @lock.synchronize { @news.signal } }
        end

        # nil at the end, when closed, or when there is nothing now.
        def take(wait: true)
          @lock.synchronize do
            until (chunk = due || @feed.take(wait: false))
              return unless wait ? more? : @alone && more? && @again.any?

              rest
            end
            @out += chunk.size
            chunk
          end
        end

        def give_back(chunk, pause = 0)
          @lock.synchronize do
            at = Clock.now + pause
            @again.insert(@again.bsearch_index { |other, _| other > at } ||
              @again.size, [at, chunk])
            @out -= chunk.size
            @news.broadcast
          end
        end

        def done(count)
          @feed.done(count)
          @lock.synchronize do
            @out -= count
            @news.broadcast unless more?
          end
        end

        def finish
          @feed.finish
          @lock.synchronize do
            @ended = true
            @news.broadcast
          end
        end

        def close
          @feed.close
          @lock.synchronize do
            @closed = true
            @news.broadcast
          end
        end

        def crowded? = @lock.synchronize { @feed.size > @idle }

        private

        def more? = !@closed && !(@ended && @out.zero? && @again.empty?)

        def due
          at, chunk = @again.first
          return if chunk.nil? || @closed || at > Clock.now

          @again.shift
          chunk
        end

        def rest
          @idle += 1
          at, _ = @again.first
          @news.wait(@lock, at && [at - Clock.now, 0].max)
        ensure
          @idle -= 1
        end
      end
    end
  end
end
