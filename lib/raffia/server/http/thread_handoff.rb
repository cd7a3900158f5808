# frozen_string_literal: true

require_relative "../../task"
require_relative "../admission/time_limit"

module Raffia
  class Server
    module HTTP
      # Runs a request on a thread of a pool, while the fiber of its connection waits.
      #
      # The fiber interrupts the thread when the request's deadline passes, or when the fiber itself
      # is cancelled. Interrupts reach the thread in {#interruptible} blocks only. A thread that
      # does not end within {GRACE} is abandoned, and the connection is closed under it.
      #
      # @api private
      class ThreadHandoff
        # Seconds that a thread has to end after it was interrupted.
        GRACE = 5
        MASKED = {Cancel => :never}.freeze
        UNMASKED = {Cancel => :immediate}.freeze
        private_constant :GRACE, :MASKED, :UNMASKED

        # @return [Thread, nil] that runs the request
        attr_reader :thread

        def initialize(pool, limiter)
          @pool = pool
          @limiter = limiter
          @events = ::Thread::Queue.new
          @lock = ::Thread::Mutex.new
          @answered = @abandoned = false
        end

        # Prepares for another request.
        def reset
          @cause = nil
          @answered = @abandoned = @aside = @done = false
          @events.clear
        end

        # @return [Boolean] whether the application has answered
        def answered? = @answered

        # @return [Boolean] whether the thread still runs, and the fiber has stopped waiting
        def abandoned? = @abandoned

        # In the fiber: runs the block on a thread, and waits for its end.
        # @raise [Admission::TimeLimit::Passed] when the request had not begun by then
        def run(limit, &block)
          future = @pool.submit { work(&block) }
          limit ? listen_within(limit, future) : listen
        rescue Exception => cause # standard:disable Lint/RescueException
          # The worker's end, or the connection's.
          withdraw(future, cause) if future
          raise
        ensure
          @limiter.step_back if @aside
        end

        # On the thread: interrupts end the block.
        # @return [Object] the block's value
        def interruptible(&)
          ::Thread.handle_interrupt(UNMASKED, &)
        rescue Cancel => cancel
          raise cancel unless @cause

          raise @cause, @cause.message, cancel.backtrace, cause: nil
        end

        # On the thread: the application has answered, so its deadline is off.
        def answer = @lock.synchronize { @answered = true }

        # On the thread: it is kept for long, so another request may have one.
        def step_aside = @events << :aside

        private

        def work(&)
          @thread = ::Thread.current
          ::Thread.handle_interrupt(MASKED, &)
        ensure
          @thread = nil
          @events << :done
        end

        def listen_within(limit, future)
          limit.enforce { listen }
        rescue Admission::TimeLimit::Passed => late
          interrupt(future, late)
          @done ? raise : listen
        end

        def listen
          while @events.pop == :aside
            @aside = true
            @limiter.step_aside
          end
          @done = true
        end

        # A block that still waits for a thread never begins.
        def interrupt(future, cause)
          @lock.synchronize do
            next if @answered && cause.is_a?(Admission::TimeLimit::Passed)

            @cause = cause
            reason = cause.is_a?(Cancel) ? cause.reason : cause.class
            @done = true if future.cancel(reason) == :waiting
          end
        end

        def withdraw(future, cause)
          interrupt(future, cause) unless @done
          return if @done

          Raffia.shield do
            event = @events.pop(timeout: GRACE)
            event = @events.pop(timeout: GRACE) if event == :aside
            @abandoned = event.nil?
          end
        end
      end
    end
  end
end
