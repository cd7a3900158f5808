# frozen_string_literal: true

require_relative "indexed_feed"
require_relative "item_failure"
require_relative "progress"
require_relative "queue_feed"

module Raffia
  class Pool
    # One pass over an input: the coordinator of its workers, and the caller's side. It is the same
    # on every strategy; they differ in their groups and slots.
    #
    # Workers read an input by position themselves. The caller reads a stream and pushes it into a
    # bounded queue. In both cases it then waits for news: a failure, enough, or the last worker's
    # end.
    #
    # @api private
    class Traversal
      attr_reader :feed
      attr_reader :sizer

      # @param gather [#add, #value] see {Gather}
      # @param workers [Integer] at most so many at once
      def initialize(input, gather, options, workers:, sizer:)
        @input = input
        @gather = gather
        @workers = workers
        @sizer = sizer
        @feed = @source = feed_for(options.limit)
        @progress = Progress.for(options.progress, input.size)
        @news = Thread::Queue.new
        @lock = Thread::Mutex.new
        @failure = nil
        @over = false
      end

      # Do the work, in the caller.
      # @param group [#open, #start, #grow, #size, #join] see {Executor}
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

      # Wait until the worker loops of a group are through, or it is over.
      def await(group)
        group.size.times { return if @news.pop == :stop }
        group.join
      end

      # @param workers [Integer] who share the input from now on
      def share(workers)
        @source.workers = workers
      end

      # @return [Object] the value of the call
      # @raise [Exception] what went wrong
      def value = @failure ? @failure.deliver : @gather.value

      # A worker loop has a reply.
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

      # Whether a chunk is still wanted: all are.
      def admit(chunk) = chunk

      # A chunk cannot go to its worker.
      def refuse(_chunk, error) = failed(Crash.new(error))

      # A worker is gone, and none takes its place: the call ends, with {#crash}.
      def replace?(_error, _seat) = false

      # A worker loop cannot go on.
      def crash(error, _seat) = failed(Crash.new(error))

      # A worker's thread has ended; nobody takes its place.
      def thread_ended = nil

      # @return [Integer, Float, nil] how many items nobody has taken; nil for a stream
      def remaining = (@source.left if @input.indexed?)

      # A worker loop has ended.
      def loop_ended = @news << :loop_ended

      private

      # Something other than the user's block failed.
      Crash = Struct.new(:error) do
        def deliver = raise(error)
      end
      private_constant :Crash

      def feed_for(limit)
        return IndexedFeed.new(@input, @sizer, @workers) if @input.indexed?

        QueueFeed.new(@sizer, @workers, limit: limit)
      end

      # Start the workers, and feed them where they cannot read the input.
      def supply(group)
        return group.start([@workers, @input.size].min) if @input.indexed?

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
