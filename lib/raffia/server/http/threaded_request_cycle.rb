# frozen_string_literal: true

require_relative "request_cycle"
require_relative "deferred_output"
require_relative "thread_handoff"
require_relative "guarded_stream"

module Raffia
  class Server
    module HTTP
      # A request cycle whose application runs on a thread, while the connection's fiber waits.
      #
      # Slow clients cost no thread: the fiber reads the body first, and sends what the kernel does
      # not take of a response. A stream that is more than {BUFFER} bytes ahead of its client waits
      # on its thread, and so does gRPC for its next message. While {ThreadHandoff} runs, the stream
      # belongs to the thread.
      #
      # @api private
      class ThreadedRequestCycle < RequestCycle
        # Bytes of a stream that may wait for a slow client.
        BUFFER = 1024 * 1024

        def initialize(context, ...)
          super
          @handoff = ThreadHandoff.new(context.threads, context.admission.limiter)
        end

        def answered? = @handoff.answered?

        def fiber = @handoff.thread || super

        private

        def build_output(stream) = DeferredOutput.new(stream)

        # Runs in the connection's fiber.
        def perform(env, finished)
          @complete = @error = nil
          @finished_ran = false
          @handoff.reset
          @input&.buffer unless two_way?(env)
          @admission.admit(env, @queued, @stream.connection) do |*place|
            hand_over(env, finished, *place)
          end
          raise Error, "the application has ended the thread of its request" if @complete.nil?

          send_rest if @complete
          @error
        rescue Exception => error # standard:disable Lint/RescueException
          if @handoff.abandoned? then respond_without_thread(error, env)
          else
            respond_with(error, env, finished)
          end
          error
        ensure
          @output.discard
        end

        # Clients of gRPC and of WebSockets may wait for an answer before they send the rest.
        def two_way?(env)
          @stream.multiplexed? && (env.key?("rack.protocol") || GRPC.request?(env))
        end

        def respond_with(error, env, finished)
          @complete = respond_to_error(error, env)
          run_finished(env, nil, error, finished)
        end

        # The thread still has this cycle, so the connection ends. It calls
        # `rack.response_finished`, too.
        def respond_without_thread(error, env)
          @complete = false
          return unless @handoff.detached?

          @hijack.expire
          @stream.closing = true
          respond_to_error(error, env)
          @stream.flush unless hijacked?
        rescue Disconnected
          nil
        ensure
          @context.zombies.add(@handoff, @began, "#{RequestId.of(env)} (#{env["PATH_INFO"]})")
        end

        def send_rest
          @output.complete
          @stream.flush
        end

        def hand_over(env, finished, limit, kind, heavy)
          @kind = kind
          @limit = limit && Admission::TimeLimit.new(limit)
          @stream.write_buffer_limit = BUFFER
          @handoff.run(@limit, heavy) { @error = serve(env, finished) }
        ensure
          @stream.write_buffer_limit = 0 if @handoff.detached? || !@handoff.abandoned?
        end

        # Runs on the thread, like all below.
        def call(env)
          response = nil
          @handoff.interruptible do
            Deadline.replace(@limit) { response = measure { @context.app.call(env) } }
          end
          answered = true
          @handoff.answer(@body_deadline = body_deadline)
          response
        rescue Cancel, Admission::TimeLimit::Passed, ThreadHandoff::Abandoned
          @output.ignore(response)
          raise
        ensure
          exit_forked_child($!) if @context.forked
          @handoff.answer unless answered
        end

        # The deadline, moved to that of the body; nil: the body has none.
        def body_deadline
          seconds = @limit && body_limit or return

          @limit.extend_by([seconds - @limit.remaining, 0].max)
        end

        # Learns how much CPU time requests of this kind take.
        def measure
          return yield unless @kind

          began = ::Process.clock_gettime(::Process::CLOCK_THREAD_CPUTIME_ID)
          begin
            yield
          ensure
            used = ::Process.clock_gettime(::Process::CLOCK_THREAD_CPUTIME_ID) - began
            @admission.costs.record(@kind, used)
          end
        end

        # An interrupt may come before the response is taken. Its body is closed then, too.
        def respond(response)
          taken = false
          @handoff.interruptible do
            next taken = true if @stream.answer(response)

            outlast(response) do
              taken = true
              Deadline.replace(@body_deadline) { deliver(response) }
            end
          end
        ensure
          @output.ignore(response) unless taken
        end

        # A response that lasts leaves its place to another request.
        def outlast(response, &)
          return yield unless long_lived?(response)

          @context.long_lived.occupy do
            @handoff.release_slot
            yield
          end
        end

        # Streams and other protocols may go on for hours.
        def long_lived?(response)
          _, headers, body = response
          (body.respond_to?(:call) && !body.respond_to?(:each)) ||
            (headers.is_a?(Hash) && headers.key?("rack.hijack"))
        end

        # On the thread, after the fiber has answered.
        def respond_to_error(error, env) = !error.is_a?(ThreadHandoff::Abandoned) && super

        def flush_after_error = (super unless @handoff.abandoned?)

        def exposed_stream = GuardedStream.new(@stream, @handoff)

        def run_finished(...)
          return if @finished_ran

          @finished_ran = true
          super
        end
      end
    end
  end
end
