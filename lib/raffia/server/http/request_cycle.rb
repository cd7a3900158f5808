# frozen_string_literal: true

require_relative "../errors"
require_relative "input"
require_relative "output"
require_relative "hijack"
require_relative "early_hints"
require_relative "request_id"

module Raffia
  class Server
    module HTTP
      # A request and its response: where the server meets the app. On an HTTP/1 connection there is
      # one after the other, all of them in this object, since none begins before the last has
      # ended.
      #
      # @api private
      class RequestCycle
        # Of what the app has not read of a request's body: bytes, and seconds in all. Beyond that a
        # new connection is cheaper.
        SKIPPED = 256 * 1024
        PATIENCE = 5
        TEXT = {"content-type" => "text/plain; charset=utf-8"}.freeze
        private_constant :SKIPPED, :PATIENCE, :TEXT

        # @return [Hash, nil] of the request at hand
        attr_reader :env
        # @return [Integer] when it began, in monotonic microseconds
        attr_reader :began
        # @return [Thread, nil] that runs the application, if it is not the connection's own
        attr_reader :thread
        # @return [IO] that HTTP is spoken on
        attr_reader :io

        def initialize(service, wire, io, address)
          @service = service
          @admission = service.admission
          @monitor = service.monitor
          @wire = wire
          @io = io
          @address = address
          @hints = service.options.early_hints
          @output = output(wire, io)
          @env = @input = @hijack = @early_hints = @thread = @given = nil
          @unread = @answered = @good = false
          @received = @sent = 0
        end

        # @param env [Hash] a fresh one
        # @return [Boolean] whether the connection is good for another request
        # @raise [Exception] what is not the app's affair, and ends the connection
        def run(env)
          @queued = @wire.queued
          @began = @monitor.begin
          @env = env
          error = perform(env, equip(env))
          raise error if error && !@good && foreign?(error)

          @good && go_on?
        ensure
          tally(env)
          expire
        end

        # @return [Boolean] whether the application has answered: what is left of the response has
        #   the client's pace
        def answered? = @answered

        # @return [Boolean] whether somebody else has the socket now
        def hijacked? = !!@hijack&.used?

        # @return [Boolean] whether there may be input that nobody has read
        def unread? = @unread

        private

        def output(wire, io) = Output.new(wire, io)

        # Where the application runs: here.
        # @return [Exception, nil] what has ended it
        def perform(env, finished)
          returned = false
          serve(env, finished).tap { returned = true }
        rescue Exception # standard:disable Lint/RescueException
          returned = true
          raise
        ensure
          killed(env, finished) unless returned
        end

        # The application has ended this fiber (Fiber#kill): no error says so, but the client waits.
        def killed(env, finished)
          error = Error.new("the application has ended the fiber of its request")
          @wire.closing = true
          over(env, nil, error, finished) if settle(error, env)
          @wire.flush
        rescue Disconnected
          nil
        end

        # From the application's call to the end of its response.
        # @return [Exception, nil]
        def serve(env, finished)
          begin
            response = call(env)
            @hijack.used? ? @output.ignore(response) : respond(response)
            @wire.flush unless finished.empty?
            @good = true
          rescue Exception => error # standard:disable Lint/RescueException
            @good = settle(error, env)
          end
          over(env, response, error, finished)
          error
        end

        # What each request has of its own. The rest is in the template.
        # @return [Array<#call>]
        def equip(env)
          env["REMOTE_ADDR"] = @address
          env["rack.hijack"] = @hijack = Hijack.new(@wire, @io)
          env["rack.early_hints"] = @early_hints = EarlyHints.new(@wire) if @hints
          env["rack.input"] = @input = Input.new(@wire, @service) if @wire.body?
          @given = nil
          env["rack.response_finished"] = []
        end

        # Apps keep envs.
        def expire
          @hijack&.expire
          @early_hints&.expire
          @env = @input = @input&.close
        end

        # The one place where the app is called.
        def call(env)
          @answered = false
          response = @admission.call(env, @queued)
          @answered = true
          response
        ensure
          leave($!) if @service.left
        end

        # A child that the app has forked comes back from there. It is no second worker, so this is
        # its end.
        def leave(error)
          unless error.is_a?(SystemExit)
            @service.log.error("a process that was forked in a request has not ended there: " \
              "#{Log.full(error) if error}")
          end
          ::Process.exit!(error.is_a?(SystemExit) ? error.status : 1)
        end

        # Answers to pipelined requests are sent together, so what they take is found with one of
        # them.
        def tally(env)
          received = @wire.received
          sent = @wire.sent
          @monitor.over(env, @wire, @began, @queued, received - @received, sent - @sent)
          @received = received
          @sent = sent
        end

        def respond(response)
          @wire.answer(response) or @output.deliver(response, @input || NullInput::ONE, @hijack)
        end

        def go_on?
          return true if @wire.keep_alive? && (!@wire.body? || @wire.skip_body(SKIPPED, PATIENCE))

          @unread = @wire.body? || @wire.pending?
          @wire.flush
          false
        end

        # The one place where an exchange is over.
        def over(env, response, error, finished)
          return if finished.nil? || finished.empty?

          flush_after_error if error
          status, headers = @given || (response if response.is_a?(Array))
          finished.reverse_each do |callable|
            callable.call(env, status, headers, error)
          rescue Cancel
            raise
          rescue Exception => raised # standard:disable Lint/RescueException
            @service.log.error("rack.response_finished of request #{RequestId.of(env)}: " \
              "#{Log.full(raised)}")
          end
        end

        def flush_after_error
          @wire.flush unless hijacked?
        rescue Disconnected
          nil
        end

        # @return [Boolean] whether the client knows where this response ends
        def settle(error, env)
          case error
          when Disconnected then @monitor.gone
          when Refused then refused(error)
          when Admission::ConcurrencyLimiter::Busy then busy(error)
          when Admission::TimeLimit::Passed then late(error, env)
          when Cancel then withdrawn
          else failed(error, env)
          end
        end

        def refused(error)
          @monitor.refused(error.status)
          @unread = @wire.closing = true
          give(error.status, "#{error.reason}\n") && false
        end

        def busy(error)
          @monitor.busy(error)
          give(503, "Service Unavailable\n", "retry-after" => error.retry_after.to_s)
        end

        # @return [Boolean]
        def late(error, env)
          @monitor.ledger.count(:timed_out)
          @service.log.warn("request #{RequestId.of(env)} (#{env["REQUEST_METHOD"]} " \
          "#{env["PATH_INFO"]}) was interrupted: " \
            "#{Log.full(error)}")
          give(504, "Gateway Timeout\n")
        end

        # @return [false]
        def withdrawn
          @wire.closing = true
          give(503, "Service Unavailable\n") && false
        end

        # What is no affair of this request's alone. An Interrupt is: signals are for handlers, and
        # Ruby raises none here, so it is the application's own.
        def foreign?(error) = error.is_a?(Cancel)

        # The one place for what the app has raised, or returned in place of a response.
        def failed(error, env)
          @monitor.ledger.count(:app_errors)
          id = RequestId.of(env)
          @service.log.error("request #{id} (#{env["REQUEST_METHOD"]} #{env["PATH_INFO"]}): " \
            "#{Log.full(error)}")
          @service.tell_error(error, env)
          give(500, "Internal Server Error\n", "x-request-id" => id)
        end

        # @return [Boolean] false: too late, another response has begun. One that has ended, such as
        #   that of a body which could only not be closed, is good
        def give(status, text, headers = {})
          return false if hijacked?
          return true if @wire.status.positive? && !@wire.begun?
          return false if @wire.begun? && !@wire.retract

          headers = {**TEXT, **headers}
          @wire.respond(status, headers, [text]).tap { @given = [status, headers] }
        rescue Disconnected
          false
        end
      end
    end
  end
end
