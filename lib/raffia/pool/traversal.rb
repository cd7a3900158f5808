# frozen_string_literal: true

require_relative "chunk"
require_relative "item_failure"
require_relative "progress"
require_relative "queue_feed"

module Raffia
  class Pool
    # One pass over an input: the coordinator of its workers, and the caller's side. Strategies
    # differ in their groups and slots.
    #
    # Workers read an indexed input themselves. The caller reads a stream and pushes it into a
    # bounded queue. Then it waits for news: a failure, enough, or the last worker's end.
    #
    # @api private
    class Traversal
      attr_reader :feed, :sizer

      def initialize(input, gather, options, workers:, sizer:)
        @input = input
        @gather = gather
        @workers = workers
        @sizer = sizer
        @indexed = input.indexed?
        @feed = @source = feed_for(options.limit)
        @progress = Progress.for(options.progress, input.size) if options.progress
        @news = Thread::Queue.new
        @lock = Thread::Mutex.new
        @failure = nil
        @over = false
      end

      def run(group)
        group.open do
          supply(group)
          await(group)
          through = true
        ensure
          # A worker that outlives its interrupt finds nothing more to do.
          @feed.close unless through
        end
      ensure
        @progress&.finish
      end

      def await(group)
        group.size.times { return if @news.pop == :stop }
        group.join
      end

      def share(workers)
        @source.workers = workers
      end

      def value = @failure ? @failure.deliver : @gather.value

      def complete(chunk, reply)
        return failed(ItemFailure.in(chunk, reply.failure)) if reply.failure

        @sizer.learn(chunk.size, reply.seconds)
        enough = @lock.synchronize do
          @progress&.add(chunk.size)
          @gather.add(chunk, reply.value)
        end
        # When that was enough, there must not be room for another item before the end.
        enough ? over : @feed.done(chunk.size)
      end

      def admit(chunk) = chunk

      def refuse(_chunk, error) = failed(Crash.new(error))

      # A worker is gone: the call ends, with {#crash}.
      def replace?(_error, _slot) = false
      def crash(error, _slot) = failed(Crash.new(error))
      def thread_ended = nil

      def remaining = (@source.left if @indexed)
      def loop_ended = @news << :loop_ended

      private

      # Something other than the user's block failed.
      Crash = Struct.new(:error) do
        def deliver = raise(error)
      end
      private_constant :Crash

      def feed_for(limit)
        return IndexedFeed.new(@input, @sizer, @workers) if @indexed

        QueueFeed.new(@sizer, @workers, limit: limit)
      end

      # Starts the workers, and feeds them where they cannot read the input.
      def supply(group)
        return group.start([@workers, @input.size].min) if @indexed

        @input.each do |item|
          break if @feed.push(item) == :closed

          group.grow(@feed)
        end
        @feed.finish
      end

      def failed(failure) = over(failure)

      # The first end counts, not what workers report while they are stopped.
      def over(failure = nil)
        @lock.synchronize do
          return if @over

          @over = true
          @failure = failure
        end
        @feed.close
        @news << :stop
      end
    end
  end
end
