# frozen_string_literal: true

module Raffia
  class Server
    class Worker
      # Threads that run on after the deadline of their request, which was answered without them.
      # Each keeps its place until it ends. Used in the loop alone.
      #
      # @api private
      class ZombieThreads
        # Lines of a backtrace in the log.
        FRAMES = 20
        private_constant :FRAMES

        # `threads`: how many there are for requests.
        def initialize(options, threads, limiter, counters, log)
          @hard_timeout = options.hard_timeout
          @patience = options.worker_timeout
          @threads = threads
          @limiter = limiter
          @counters = counters
          @log = log
          @all = {}.compare_by_identity
          @on_hopeless = @since = nil
        end

        def size = @all.size

        # Runs the block once, when the worker is to be replaced: a request has taken longer than
        # hard_timeout, or all threads have been zombies for worker_timeout.
        def on_hopeless(&block) = @on_hopeless = block

        # `began`: the request's, in monotonic microseconds. `name` is for the log.
        def add(handoff, began, name)
          @limiter.reacquire(handoff.heavy)
          @all[handoff] = began / 1e6
          @since ||= Clock.now if size >= @threads
          count
          frames = handoff.thread&.backtrace&.first(FRAMES)
          @log.warn("request #{name} was answered, and its thread goes on. It is at:\n  " \
            "#{frames&.join("\n  ")}")
        end

        # Once a second: gives back the places of those that have ended.
        def sweep(now = Clock.now)
          return if @all.empty?

          ended = @all.keys.select(&:ended?)
          ended.each do |handoff|
            @all.delete(handoff)
            @limiter.leave(handoff.heavy)
          end
          @since = nil if size < @threads
          count if ended.any?
          give_up(now)
        end

        private

        def count = @counters.set(:threads_zombie, size)

        def give_up(now)
          reason = hopeless(now) or return
          @log.error("the worker is to be replaced: #{reason}")
          hopeless, @on_hopeless = @on_hopeless, nil
          hopeless.call
        end

        def hopeless(now)
          return unless @on_hopeless

          if @hard_timeout && @all.any? { |_, began| now - began >= @hard_timeout }
            "a request has taken more than hard_timeout (#{@hard_timeout} s), and its thread " \
              "goes on"
          elsif @since && @patience && now - @since >= @patience
            "all #{@threads} threads are at requests whose deadline has passed"
          end
        end
      end
    end
  end
end
