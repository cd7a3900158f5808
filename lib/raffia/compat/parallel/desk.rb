# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Compat
    module Parallel
      # Who the drivers work for. A failure ends the feed, and what other workers are at is waited for; only a Kill, and what is no
      # StandardError, breaks that off.
      #
      # @api private
      class Desk
        # @return [#take, #close]
        attr_reader :feed

        # @param request [Request]
        # @param sizer [Pool::ChunkSize]
        def initialize(request, feed, sizer)
          @request = request
          @hooks = request.hooks
          @feed = feed
          @sizer = sizer
          @results = []
          @failure = nil
          @news = Thread::Queue.new
          @lock = Thread::Mutex.new
        end

        # In the caller.
        # @param crew [Pool::ThreadCrew]
        # @return [void]
        def run(crew, workers)
          crew.open do
            crew.start(workers)
            crew.join if crew.size.times.all? { @news.pop == :left }
          end
        end

        # @return [Object] of the call
        # @raise [Exception]
        def value
          return @request.results? ? @results : @request.source unless @failure

          deliver(@failure)
        end

        # A signal has come; in its handler.
        def interrupt(name)
          fail_with(::Parallel::DeadWorker.new("the workers were ended because #{name} came"), at_once: true)
        end

        # Before a chunk goes to a seat.
        # @return [Pool::Chunk, nil] nil: it does not begin
        def admit(chunk)
          return chunk unless @hooks.start?

          chunk if @hooks.start(item(chunk, chunk.first), chunk.first, unless_over: over)
        rescue => error
          fail_with(error)
        end

        # A driver has a reply.
        def complete(chunk, reply)
          return failed(chunk, reply.failure) if reply.failure

          @sizer.learn(chunk.size, reply.seconds)
          @hooks.finish(item(chunk, chunk.first), chunk.first, reply.value.first) if @hooks.finish?
          @hooks.advance(chunk.size)
          @lock.synchronize { @results[chunk.first, chunk.size] = reply.value } if @request.results?
        rescue => error
          fail_with(error)
        end

        # A chunk cannot go to its worker.
        def refuse(_chunk, error) = fail_with(error)

        # A worker is gone: nobody takes its place.
        def salvage(_error, _seat) = false

        # A driver cannot go on.
        def crash(error, _seat) = fail_with(error)

        # A worker's thread has ended; the others have the rest.
        def vacant = nil

        # A driver is through.
        def left = @news << :left

        private

        # parallel begins no item in a Ractor after a start hook has failed, but in threads and processes those that were taken already.
        def over = (-> { @failure } if @request.place == :ractors)

        def failed(chunk, failure)
          index = chunk.first + failure.position
          error = failure.value
          milder = failure.kind != :error || (error.is_a?(StandardError) && !error.is_a?(::Parallel::Kill))
          fail_with(Pool::Mishap.new(failure, item(chunk, index), index), at_once: !milder)
        end

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
          chunk.indexed? ? @request.items[found] : found.first
        end

        def deliver(failure)
          failure.is_a?(Pool::Mishap) ? failure.deliver : raise(failure)
        rescue ::Parallel::Break => stop
          stop.value
        rescue WorkerDied, NotDumpable => error
          raise ::Parallel::DeadWorker, error.message
        end
      end
    end
  end
end
