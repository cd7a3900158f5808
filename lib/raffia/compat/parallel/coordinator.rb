# frozen_string_literal: true

module Raffia
  module Compat
    module Parallel
      # Gives items to worker loops, and gathers the results. After a failure no further items
      # start, and it waits for those that run. Only a Kill in processes, or an exception that is no
      # StandardError, interrupts them.
      #
      # @api private
      class Coordinator
        attr_reader :feed

        def initialize(request, feed, sizer)
          @request = request
          @hooks = request.hooks
          @feed = feed
          @sizer = sizer
          @results = Array.new(request.items&.size || 0) if request.results?
          @size = @results&.size
          @failure = nil
          @events = Thread::Queue.new
          @lock = Thread::Mutex.new
        end

        def run(group, workers)
          group.open do
            group.start(workers)
            ended = (0...group.size).reverse_each.all? do |live|
              @events.pop == :loop_ended && !stranded?(live)
            end
            group.join if ended
          end
        end

        # Value of the call; raises the first failure.
        def value
          return @results || @request.source unless @failure

          deliver(@failure)
        end

        # Runs in the handler of a signal.
        def interrupt(name)
          fail_with(::Parallel::DeadWorker.new("the workers were ended because #{name} came"),
            at_once: true)
        end

        # Called before a chunk goes to a slot. Returns nil when it must not begin.
        def admit(chunk)
          return chunk unless @hooks.start?

          # After a start hook has failed, parallel still begins items that threads and processes
          # have taken, but none in a Ractor.
          begun = @hooks.start(item(chunk, chunk.first), chunk.first) do
            @failure && @request.executor == :ractors
          end
          chunk if begun
        rescue => error
          fail_with(error)
        end

        # A worker loop has a reply. Threads report only failed items here; see {#finished}.
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

        # A thread has finished an item.
        def finished(entry, result)
          index = entry.first
          @hooks.ended(entry.item, index, result) if @hooks.wanted?
          store_result(index, result) if @results
        rescue => error
          fail_with(error)
        end

        # The next item for a thread, nil at the end.
        def following
          entry = @feed.take
          @hooks.start(entry.item, entry.first) if entry && @hooks.start?
          entry
        rescue => error
          fail_with(error)
        end

        def refuse(_chunk, error) = fail_with(error)

        # A worker that died is not replaced.
        def replace?(_error, _slot) = false

        def crash(error, _slot) = fail_with(error)

        def thread_ended = nil

        def loop_ended = @events << :loop_ended

        private

        # Whether all remaining workers wait for a Queue after a failure: it may never get another
        # item.
        def stranded?(live)
          live.positive? && !@failure.nil? && @request.queue? && @feed.waiting == live
        end

        # Within the original size the Array does not move, and each index has one writer: no lock.
        def store_result(index, result)
          return @results[index] = result if index < @size

          @lock.synchronize { @results[index] = result }
        end

        def failed(chunk, failure)
          index = chunk.first + failure.position
          error = failure.value
          at_once = failure.kind == :error && (kill?(error) || !error.is_a?(StandardError))
          fail_with(Pool::ItemFailure.new(failure, item(chunk, index), index), at_once:)
        end

        # Threads share objects, so nothing interrupts them in the middle of an item.
        def kill?(error) = @request.executor == :processes && error.is_a?(::Parallel::Kill)

        def fail_with(failure, at_once: false)
          @failure ||= failure
          @feed.close
          @events << :stop if at_once
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
