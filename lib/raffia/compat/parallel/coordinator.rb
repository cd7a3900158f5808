# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # Hands items to worker loops, and gathers the results. A failure ends the feed, and items
      # that other workers are at are waited for; only a Kill in processes, and an exception that is
      # no StandardError, interrupts them.
      #
      # @api private
      class Coordinator
        # @return [#take, #close]
        attr_reader :feed

        # @param request [Request]
        # @param sizer [Pool::ChunkSize]
        def initialize(request, feed, sizer)
          @request = request
          @hooks = request.hooks
          @feed = feed
          @sizer = sizer
          @results = Array.new(request.items&.size || 0) if request.results?
          @room = @results&.size
          @failure = nil
          @news = Thread::Queue.new
          @lock = Thread::Mutex.new
        end

        # In the caller.
        # @param group [Executor::Threads::WorkerGroup]
        # @return [void]
        def run(group, workers)
          group.open do
            group.start(workers)
            if group.size.downto(1).all? { |live| @news.pop == :loop_ended && !stranded?(live - 1) }
              group.join
            end
          end
        end

        # @return [Object] of the call
        # @raise [Exception]
        def value
          return @results || @request.source unless @failure

          deliver(@failure)
        end

        # A signal has come; in its handler.
        def interrupt(name)
          fail_with(::Parallel::DeadWorker.new("the workers were ended because #{name} came"),
            at_once: true)
        end

        # Before a chunk goes to a slot.
        # @return [Pool::Chunk, nil] nil: it does not begin
        def admit(chunk)
          return chunk unless @hooks.start?

          # parallel begins no item in a Ractor after a start hook has failed, but in threads and
          # processes those that were taken already.
          if @hooks.start(item(chunk, chunk.first), chunk.first) {
            @failure &&
                @request.place == :ractors
          }
            chunk
          end
        rescue => error
          fail_with(error)
        end

        # A worker loop has a reply; of a thread's items only that of a failed one comes this way.
        def complete(chunk = nil, reply = nil)
          return unless reply
          return failed(chunk, reply.failure) if reply.failure

          @sizer.learn(chunk.size, reply.seconds)
          if @hooks.wanted?
            @hooks.ended(item(chunk, chunk.first), chunk.first, reply.value&.first, chunk.size)
          end
          @lock.synchronize { @results[chunk.first, chunk.size] = reply.value } if @results
        rescue => error
          fail_with(error)
        end

        # A thread is through with an item.
        # @param entry [NumberedItem]
        def finished(entry, result)
          index = entry.first
          @hooks.ended(entry.item, index, result) if @hooks.wanted?
          keep(index, result) if @results
        rescue => error
          fail_with(error)
        end

        # @return [NumberedItem, nil] what the thread is to begin next
        def following
          entry = @feed.take
          @hooks.start(entry.item, entry.first) if entry && @hooks.start?
          entry
        rescue => error
          fail_with(error)
        end

        # A chunk cannot go to its worker.
        def refuse(_chunk, error) = fail_with(error)

        # A worker is gone: nobody takes its place.
        def replace?(_error, _slot) = false

        # A worker loop cannot go on.
        def crash(error, _slot) = fail_with(error)

        # A worker's thread has ended; the others have the rest.
        def thread_ended = nil

        # A worker loop has ended.
        def loop_ended = @news << :loop_ended

        private

        # Whether, after a failure, all that are left wait for a Queue, into which nothing more need
        # come.
        def stranded?(live)
          live.positive? && !@failure.nil? && @request.queue? && @feed.waiting == live
        end

        # Where there is room, nothing moves, and the place is nobody else's.
        def keep(index, result)
          return @results[index] = result if index < @room

          @lock.synchronize { @results[index] = result }
        end

        def failed(chunk, failure)
          index = chunk.first + failure.position
          error = failure.value
          grave = failure.kind == :error && (kill?(error) || !error.is_a?(StandardError))
          fail_with(Pool::ItemFailure.new(failure, item(chunk, index), index), at_once: grave)
        end

        # Threads share what they work on, so they are not broken off in the middle of it.
        def kill?(error) = @request.place == :processes && error.is_a?(::Parallel::Kill)

        # The first one counts.
        # @return [nil]
        def fail_with(failure, at_once: false)
          @failure ||= failure
          @feed.close
          @news << :stop if at_once
          nil
        end

        def item(chunk, index)
          found = chunk.at(index)
          chunk.indexed? ? @request.items[found] : found
        end

        def deliver(failure)
          failure.is_a?(Pool::ItemFailure) ? failure.deliver : raise(failure)
        rescue ::Parallel::Break => stop
          stop.value
        rescue WorkerDied, NotDumpable => error
          raise ::Parallel::DeadWorker, error.message
        end
      end
    end
  end
end
