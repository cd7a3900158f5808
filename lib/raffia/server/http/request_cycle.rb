# frozen_string_literal: true

require_relative "../errors"
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
      # An HTTP/1 connection has one cycle for all of its requests, because each ends before the
      # next one begins.
      #
      # @api private
      class RequestCycle
        # @return [Hash, nil] of the request in flight
        attr_reader :env
        # @return [Integer] when it began, in monotonic microseconds
        attr_reader :began
        # @return [Thread, nil] the thread that runs the application, if it is not the connection's
        attr_reader :thread

        # @param address [String] of the client
        def initialize(context, stream, address)
          @context = context
          @admission = context.admission
          @telemetry = context.telemetry
          @stream = stream
          @address = address
          @hints = context.options.early_hints
          @output = build_output(stream)
          @env = @input = @hijack = @early_hints = @thread = @error_response = nil
          @answered = @complete = false
          @received = @sent = 0
        end

        # @param env [Hash] a fresh one
        # @yieldreturn [Boolean] asked when the client knows where the response ends: whether the
        #   connection takes another request
        # @return [Boolean] the same
        # @raise [Exception] what ends the connection, too
        def run(env)
          @queued = @stream.queued
          @began = @telemetry.begin
          @env = env
          error = perform(env, prepare(env))
          raise error if error && !@complete && error.is_a?(Cancel)

          @complete && yield
        ensure
          record(env)
          release
        end

        # @return [Boolean] whether the application has answered: the client sets the pace from here
        def answered? = @answered

        # @return [Boolean] whether the application has taken the socket
        def hijacked? = !!@hijack&.used?

        # @return [Boolean] whether the last request was refused, so its body may be unread
        def refused? = !!@error_response&.refused?

        private

        def build_output(stream) = Output.new(stream)

        # @return [Exception, nil] raised by the application
        def perform(env, finished)
          returned = false
          serve(env, finished).tap { returned = true }
        rescue Exception # standard:disable Lint/RescueException
          returned = true
          raise
        ensure
          fiber_killed(env, finished) unless returned
        end

        # Fiber#kill by the application raises nothing, but the client waits for a response.
        def fiber_killed(env, finished)
          error = Error.new("the application has ended the fiber of its request")
          @stream.closing = true
          run_finished(env, nil, error, finished) if respond_to_error(error, env)
          @stream.flush
        rescue Disconnected
          nil
        end

        # @return [Exception, nil]
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

        # Sets the keys that differ between requests; the others are in the connection's template.
        # @return [Array<#call>] rack.response_finished
        def prepare(env)
          @error_response = nil
          env["REMOTE_ADDR"] = @address
          env["rack.hijack"] = @hijack = Hijack.new(@stream)
          env["rack.early_hints"] = @early_hints = EarlyHints.new(@stream) if @hints
          env["rack.input"] = @input = Input.new(@stream, @context) if @stream.body?
          env["rack.response_finished"] = []
        end

        # Applications keep envs, whose objects must not reach the next request.
        def release
          @hijack&.expire
          @early_hints&.expire
          @env = @input = @input&.close
        end

        def call(env)
          @answered = false
          response = @admission.call(env, @queued)
          @answered = true
          response
        ensure
          exit_forked_child($!) if @context.forked
        end

        # The application has forked, and the child returns here: it must not serve the client, too.
        def exit_forked_child(error)
          unless error.is_a?(SystemExit)
            @context.log.error("a process that was forked in a request has not ended there: " \
              "#{Log.full(error) if error}")
          end
          ::Process.exit!(error.is_a?(SystemExit) ? error.status : 1)
        end

        def respond(response)
          @stream.answer(response) or
            @output.deliver(response, @input || NullInput::ONE, @hijack)
        end

        # @return [Boolean] whether the client knows where the response ends
        def respond_to_error(error, env)
          @error_response = ErrorResponse.new(@context, @stream, env, @hijack)
          @error_response.deliver(error)
        end

        # Pipelined responses are sent together, so their bytes count for one of them.
        def record(env)
          received = @stream.received
          sent = @stream.sent
          @telemetry.record(env, @stream, @began, @queued, received - @received, sent - @sent)
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
