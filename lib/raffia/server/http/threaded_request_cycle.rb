# frozen_string_literal: true

require_relative "request_cycle"
require_relative "deferred_output"

module Raffia
  class Server
    module HTTP
      # An exchange whose application runs on a thread, while the connection's fiber waits for it.
      #
      # The client's pace costs no thread: the fiber takes the request's body in before it asks for
      # one, and sends what of a response the kernel did not take at once. Beyond {AHEAD} a stream
      # waits for its client, on its thread.
      #
      # From {hand_over} to the event `:done` the wire belongs to the thread, and the fiber leaves
      # it alone.
      #
      # @api private
      class ThreadedRequestCycle < RequestCycle
        # Bytes of a stream that may wait for a slow client.
        AHEAD = 1024 * 1024
        # Seconds that a thread has to end after it was interrupted. Then the connection is closed
        # under it.
        GRACE = 5
        HELD = {Cancel => :never}.freeze
        FREE = {Cancel => :immediate}.freeze
        private_constant :HELD, :FREE, :GRACE

        def initialize(...)
          super
          @events = ::Thread::Queue.new
          @lock = ::Thread::Mutex.new
        end

        private

        def output(wire, io) = DeferredOutput.new(wire, io)

        # In the connection's fiber.
        def perform(env, finished)
          begin_anew
          @input&.buffer
          @admission.admit(env, @queued) { |limit| hand_over(env, finished, limit) }
          raise Error, "the application has ended the thread of its request" if @good.nil?

          complete if @good
          @error
        rescue Exception => error # standard:disable Lint/RescueException
          @good = !@abandoned && settle(error, env)
          over(env, nil, error, finished)
          error
        ensure
          @output.drop
        end

        def begin_anew
          @good = @error = @cause = nil
          @answered = @over = @abandoned = @aside = @done = false
          @events.clear
        end

        # What the thread has left.
        def complete
          @output.complete
          @wire.flush
        end

        # @param limit [Numeric, nil] seconds
        def hand_over(env, finished, limit)
          @limit = limit && Admission::TimeLimit.new(limit)
          @wire.ahead = AHEAD
          future = @service.threads.submit { work(env, finished) }
          await(future)
        ensure
          @admission.gate.step_back if @aside
          @wire.ahead = 0 unless @abandoned
        end

        def await(future)
          begin
            @limit ? @limit.enforce { listen } : listen
          rescue Admission::TimeLimit::Passed => late
            interrupt(future, late)
            @done ? raise : listen
          end
        rescue Exception => cause # standard:disable Lint/RescueException
          # The worker's end, or the connection's.
          withdraw(future, cause)
          raise
        end

        def listen
          while @events.pop == :aside
            @aside = true
            @admission.gate.step_aside
          end
          @done = true
        end

        # Where it has not begun yet it never will, so there is nothing to listen to.
        def interrupt(future, cause)
          @lock.synchronize do
            next if @answered && cause.is_a?(Admission::TimeLimit::Passed)

            @cause = cause
            if future.cancel(cause.is_a?(Cancel) ? cause.reason : cause.class) == :waiting
              @done = true
            end
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

        # On the thread.
        def work(env, finished)
          @thread = ::Thread.current
          ::Thread.handle_interrupt(HELD) { @error = serve(env, finished) }
        ensure
          @thread = nil
          @events << :done
        end

        def call(env)
          response = nil
          interruptible { Deadline.replace(@limit) { response = @service.app.call(env) } }
          @lock.synchronize { @answered = true }
          response
        rescue Cancel, Admission::TimeLimit::Passed
          @output.ignore(response)
          raise
        ensure
          leave($!) if @service.left
        end

        # An interrupt may come before the response is taken: its body is closed then, too.
        def respond(response)
          taken = false
          interruptible do
            next taken = true if @wire.answer(response)

            @events << :aside if lasting?(response)
            taken = true
            @output.deliver(response, @input || NullInput::ONE, @hijack)
          end
        ensure
          @output.ignore(response) unless taken
        end

        # Streams that write when they like, and other protocols, may go on for hours: they keep
        # their thread, and another one serves requests.
        def lasting?(response)
          _, headers, body = response
          (body.respond_to?(:call) && !body.respond_to?(:each)) ||
            (headers.is_a?(Hash) && headers.key?("rack.hijack"))
        end

        def interruptible(&)
          ::Thread.handle_interrupt(FREE, &)
        rescue Cancel => cancel
          raise cancel unless @cause

          raise @cause, @cause.message, cancel.backtrace, cause: nil
        end

        def over(...)
          return if @over

          @over = true
          super
        end
      end
    end
  end
end
