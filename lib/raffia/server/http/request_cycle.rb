# frozen_string_literal: true

require_relative "../error"
require_relative "error_response"
require_relative "input"
require_relative "output"
require_relative "hijack"
require_relative "early_hints"

module Raffia
  class Server
    module HTTP
      # Runs a request: calls the application and sends its response to a {Stream}.
      #
      # A connection reuses a cycle that has ended for its next request.
      #
      # @api private
      class RequestCycle
        attr_reader :env
        # Beginning in monotonic microseconds.
        attr_reader :began
        # The fiber that runs the application, or its thread.
        attr_reader :fiber

        def initialize(context, stream, address)
          @context = context
          @admission = context.admission
          @counters = context.telemetry.counters
          @access_log = context.telemetry.access_log
          @stream = stream
          @address = address
          @hints = context.options.early_hints
          @output = build_output(stream)
          @env = @input = @hijack = @fiber = @error_response = nil
          @answered = @complete = false
          @received = @sent = 0
        end

        # The next request comes on another stream.
        def stream=(stream)
          @stream = @output.stream = stream
          @received = @sent = 0
        end

        # Yields when the client knows where the response ends: whether the connection takes another
        # request. Returns that, and raises what ends the connection.
        def run(env)
          @context.usage&.count
          @fiber = Fiber.current
          @queued = @stream.queued
          @began = @counters.begin
          @env = env
          error = perform(env, prepare(env))
          raise error if error && !@complete && error.is_a?(Cancel)

          @complete && yield
        ensure
          record(env)
          release
        end

        # Whether the application has answered: from here the client sets the pace.
        def answered? = @answered

        def hijacked? = !!@hijack&.used?

        # Whether the last request was refused, so its body may be unread.
        def refused? = !!@error_response&.refused?

        private

        def build_output(stream) = Output.new(stream)

        # Returns the application's error.
        def perform(env, finished)
          returned = false
          serve(env, finished).tap { returned = true }
        rescue Exception # standard:disable Lint/RescueException
          returned = true
          raise
        ensure
          fiber_killed(env, finished) unless returned
        end

        # Fiber#kill raises nothing, but the client waits for a response.
        def fiber_killed(env, finished)
          error = Error.new("the application has ended the fiber of its request")
          @stream.closing = true
          run_finished(env, nil, error, finished) if respond_to_error(error, env)
          @stream.flush
        rescue Disconnected
          nil
        end

        def serve(env, finished)
          begin
            response = call(env)
            @hijack.used? ? @output.ignore(response) : respond(response)
            @stream.flush unless finished.empty?
            @complete = true
          rescue Exception => error # standard:disable Lint/RescueException
            @complete = respond_to_error(error, env)
          end
          run_finished(env, response, error, finished)
          error
        end

        # Adds the keys that the connection's template does not have. Returns the callbacks of
        # `rack.response_finished`.
        def prepare(env)
          @error_response = nil
          env["REMOTE_ADDR"] = @address
          stream = exposed_stream
          env["rack.hijack"] = @hijack = Hijack.of(stream)
          env["rack.early_hints"] = EarlyHints.of(stream, @hijack) if @hints
          prepare_input(env) if @stream.body?
          env["rack.response_finished"] = []
        end

        # The part of the stream that the application reaches before it has answered.
        def exposed_stream = @stream

        def prepare_input(env)
          env["rack.input"] = @input = Input.new(@stream, @context)
          env["raffia.trailers"] = @input.method(:trailers)
        end

        # Applications keep envs. Their objects must not reach the next request.
        def release
          @hijack&.expire
          @env = @input = @input&.close
        end

        def call(env)
          @answered = false
          response = @admission.call(env, @queued, @stream.connection)
          @answered = true
          response
        ensure
          exit_forked_child($!) if @context.forked
        end

        # The application has forked, and the child returns here: it must not serve the client.
        def exit_forked_child(error)
          unless error.is_a?(SystemExit)
            @context.log.error("a process that was forked in a request has not ended there: " \
              "#{Log.full(error) if error}")
          end
          ::Process.exit!(error.is_a?(SystemExit) ? error.status : 1)
        end

        def respond(response)
          return if @stream.answer(response)
          return deliver(response) unless (limit = body_limit)

          Admission::TimeLimit.new(limit).enforce { deliver(response) }
        end

        def deliver(response) = @output.deliver(response, @input || NullInput::ONE, @hijack)

        # Seconds; nil: not limited. The deadline of a gRPC call is that of its body, too.
        def body_limit
          return unless @stream.multiplexed? && GRPC.request?(@env) &&
            @context.options.request_deadline

          seconds = GRPC.timeout(@env["HTTP_GRPC_TIMEOUT"])
          (seconds - @stream.queued / 1e6).clamp(0.001..) if seconds
        end

        # Returns whether the client knows where the response ends.
        def respond_to_error(error, env)
          @error_response = ErrorResponse.new(@context, @stream, env, @hijack)
          @error_response.deliver(error)
        end

        # Pipelined responses are sent together, so all bytes count for one of them.
        def record(env)
          received = @stream.received
          sent = @stream.sent
          status = @stream.status
          duration = @counters.finish(@began, status, @queued, received - @received, sent - @sent)
          @access_log&.record(env, status, @stream.body_sent, duration, @queued)
          @received = received
          @sent = sent
        end

        def run_finished(env, response, error, finished)
          return if finished.nil? || finished.empty?

          flush_after_error if error
          status, headers = @error_response&.head || (response if response.is_a?(Array))
          finished.reverse_each do |callable|
            callable.call(env, status, headers, error)
          rescue Cancel
            raise
          rescue Exception => raised # standard:disable Lint/RescueException
            @context.log.error("rack.response_finished of request #{RequestId.of(env)}: " \
              "#{Log.full(raised)}")
          end
        end

        def flush_after_error
          @stream.flush unless hijacked?
        rescue Disconnected
          nil
        end
      end
    end
  end
end
