# frozen_string_literal: true

require_relative "../admission/time_limit"

module Raffia
  class Server
    module HTTP
      # Runs a request on a thread of a pool while the fiber of its connection waits.
      #
      # The fiber interrupts the thread at the request's deadline, or when the fiber is cancelled.
      # Interrupts reach only {#interruptible} blocks. A thread that does not end within {LATE} of
      # its deadline, or within {GRACE} of another interrupt, is abandoned. Unless its application
      # has answered, it is detached then: it cannot reach the connection any more.
      #
      # @api private
      class ThreadHandoff
        # The request was answered without its thread.
        class Abandoned < Error
          def initialize = super("the request was answered without its thread")
        end

        # Seconds for an interrupted thread to end.
        GRACE = 5
        LATE = 1
        # Shortens the time for which a thread keeps Ruby's lock while others wait for it, from 100
        # to 20 ms: the loop, and short requests on other threads, come in between soon.
        PRIORITY = -3
        MASKED = {Cancel => :never}.freeze
        UNMASKED = {Cancel => :immediate}.freeze
        private_constant :GRACE, :LATE, :PRIORITY, :MASKED, :UNMASKED

        attr_reader :thread
        # Whether the request counts as heavy in the limiter.
        attr_reader :heavy

        def initialize(pool, limiter)
          @pool = pool
          @limiter = limiter
          @events = ::Thread::Queue.new
          @lock = ::Thread::Mutex.new
          @answered = @abandoned = @detached = false
        end

        def reset
          @cause = @body_limit = nil
          @answered = @abandoned = @detached = @released = @done = false
          @events.clear
        end

        def answered? = @answered

        # Whether the fiber stopped waiting for a thread that still runs.
        def abandoned? = @abandoned

        # Whether an abandoned thread cannot reach the connection, so that the fiber may answer.
        def detached? = @detached

        def ended? = @thread.nil?

        # In the fiber: runs the block on a thread, and waits for its end. Raises
        # {Admission::TimeLimit::Passed} when it did not begin in time.
        def run(limit, heavy = false, &block)
          @heavy = heavy
          future = @pool.submit { work(&block) }
          limit ? listen_within(limit, future) : listen
        rescue Exception => cause # standard:disable Lint/RescueException
          # The worker stops, or the connection ends.
          withdraw(future, cause) if future
          raise
        ensure
          @limiter.reacquire(@heavy) if @released
        end

        # On the thread: interrupts may end the block.
        def interruptible(&)
          ::Thread.handle_interrupt(UNMASKED, &)
        rescue Cancel => cancel
          raise cancel unless @cause

          raise @cause, @cause.message, cancel.backtrace, cause: nil
        end

        # On the thread: the application has returned or raised, so its deadline is off. `limit`:
        # the deadline of the response's body.
        def answer(limit = nil)
          exclusive do
            @body_limit = limit
            @answered = true
          end
        end

        # On the thread: what reaches the connection before the application has answered.
        def exclusive
          @lock.synchronize do
            raise Abandoned if @abandoned

            yield
          end
        end

        # On the thread: it is kept for long, so another request may run.
        def release_slot = @events << :released

        private

        def work(&)
          @thread = ::Thread.current
          @thread.priority = PRIORITY
          ::Thread.handle_interrupt(MASKED, &)
        ensure
          @thread = nil
          @events << :done
        end

        def listen_within(limit, future)
          limit.enforce { listen }
        rescue Admission::TimeLimit::Passed => late
          retry if outlived?
          interrupt(future, late)
          raise if @done
          return if listen(LATE)

          abandon(unless_answered: true) ? raise : listen
        end

        # The application's deadline has become a later one of the body.
        def outlived? = !!@body_limit && !@body_limit.expired?

        def listen(timeout = nil)
          while (event = @events.pop(timeout: timeout)) == :released
            @released = true
            @limiter.release(@heavy)
          end
          @done = !event.nil?
        end

        def abandon(unless_answered: false)
          @lock.synchronize do
            next if @answered && unless_answered

            @detached = !@answered
            @abandoned = true
          end
        end

        # A block that waits for a thread never begins. A pool that ends interrupts its threads by
        # itself; a second interrupt would strike the cleanup of the application.
        def interrupt(future, cause)
          @lock.synchronize do
            next if @answered && !@body_limit && cause.is_a?(Admission::TimeLimit::Passed)

            @cause = cause
            next if @thread && @pool.closed?

            reason = cause.is_a?(Cancel) ? cause.reason : cause.class
            @done = true if future.cancel(reason) == :waiting
          end
        end

        def withdraw(future, cause)
          interrupt(future, cause) unless @done || @abandoned
          return if @done || @abandoned

          Raffia.shield do
            event = @events.pop(timeout: GRACE)
            event = @events.pop(timeout: GRACE) if event == :released
            abandon if event.nil?
          end
        end
      end
    end
  end
end
