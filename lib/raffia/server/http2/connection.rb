# frozen_string_literal: true

require_relative "../connection"
require_relative "bridged_stream"
require_relative "connection_monitor"
require_relative "request_loop"
require_relative "stream"
require_relative "timers"

module Raffia
  class Server
    module HTTP2
      # Serves the requests of a client, several at a time; see {RequestLoop}.
      #
      # A stream keeps its place among `http2_max_streams` until its request has ended, also after
      # a reset.
      #
      # @api private
      class Connection < Server::Connection
        # Codes of errors (RFC 9113, 7).
        NO_ERROR = 0
        INADEQUATE_SECURITY = 12
        # Statuses of refusals that concern one request.
        TOO_LARGE = 413
        MISDIRECTED = 421
        HARMLESS = [TOO_LARGE, MISDIRECTED].freeze
        # Ciphers of TLS 1.2 with ephemeral keys and authenticated encryption.
        STRONG = /\A(EC)?DHE-.*(GCM|CCM|CHACHA20)/
        # The protocol of an extended CONNECT that {Bridge} translates.
        WEBSOCKET = ["websocket"].freeze
        private_constant :NO_ERROR, :INADEQUATE_SECURITY, :TOO_LARGE, :MISDIRECTED,
          :HARMLESS, :STRONG, :WEBSOCKET

        # `unread`: bytes that were read to find out that this is HTTP/2.
        def initialize(*, unread: nil)
          super(*)
          @unread = unread
          @cycles = {}.compare_by_identity
          @session = @idle_cycle = nil
          @draining = @refusing = false
        end

        attr_reader :session

        def cycles = @cycles.keys

        def close_after_response
          super
          announce_end
        end

        def idle_mark
          return if @cycles.any? || @session&.streams&.positive?

          @session ? @session.received : 0
        end

        def stop_reading
          refuse_later if @session
          end_input
        end

        # Sends output that waits for the client. Called in the loop's thread.
        def send_output
          @session.flush || @scope.spawn { @session.send_output }
        rescue Closed
          nil # the connection ends
        end

        # Called in the loop's thread, again and again.
        def check(now)
          @session.stop_uploads
          case @timers.check(now)
          when :end
            refuse_later
            end_input if @session.streams.zero?
          when :abort then abort
          end
        end

        private

        def serve
          @session = open_session
          @timers = Timers.new(@session, @context.options)
          @context.connection_monitor.add(self)
          @verifies = @listener.verifies?
          @bridges = @context.options.websockets_over_http2 == :bridge
          @max_requests = @context.options.max_requests_per_connection
          announce_end if @closing
          return refuse_cipher if weak_cipher?

          @session.feed(@unread) if @unread
          @unread = nil
          Scope.open do |scope|
            @scope = scope
            requests = RequestLoop.new(@session, scope, inline: !@context.threads) do |stream|
              serve_stream(stream)
            end
            requests.run
            give_up if @session.abuse
          end
          @session.send_output
        ensure
          end_session if @session
        end

        # ALPN is chosen before the cipher (RFC 9113, 9.2.2).
        def weak_cipher?
          @io.respond_to?(:ssl_version) && @io.ssl_version == "TLSv1.2" &&
            !STRONG.match?(@io.cipher.first)
        end

        def refuse_cipher
          @session.goaway(INADEQUATE_SECURITY)
          @session.send_output
        end

        def end_session
          @context.connection_monitor.remove(self)
          counters = @context.telemetry.counters
          {h2_resets_received: @session.resets_received,
           h2_resets_sent: @session.resets_sent}.each do |name, count|
            counters.count(name, count) if count > 0
          end
        end

        def open_session
          options = @context.options
          template = @context.template(Stream, @listener, @io)
          session = Native::HTTP2.new(@io, Stream, template, @context.http2_limits,
            @context.connection_monitor.queue)
          session.write_timeout = options.write_timeout
          session
        end

        def give_up
          @context.telemetry.counters.count(:"h2_abuse_#{@session.abuse}")
          @context.log.warn("ended the HTTP/2 connection of #{@address ||= peer_address}, " \
            "because of its #{@session.abuse.tr("_", " ")}")
          abort
          @scope.cancel(:abuse)
        end

        # Requests that are on their way are still served.
        def announce_end
          return if @draining || @session.nil?

          @draining = true
          @session.announce_end
          @timers.announced
        end

        # Later requests, which the client sends to another connection. Once, because each GOAWAY is
        # a frame.
        def refuse_later
          @session.goaway(NO_ERROR) unless @refusing
          @refusing = true
        end

        def serve_stream(stream)
          announce_end if @max_requests && @session.requests >= @max_requests
          env = stream.env
          refuse_misdirected(env) if @verifies
          limit_call(env) if stream.grpc?
          bridge = open_bridge(env, stream) if @bridges && env["rack.protocol"] == WEBSOCKET
          cycle = next_cycle(stream)
          @cycles[cycle] = true
          @idle_cycle = cycle if cycle.run(env) { @session.inline? }
        rescue Refused => refusal
          reject(refusal, stream)
          announce_end unless HARMLESS.include?(refusal.status) # other requests are well
        rescue Disconnected, SystemCallError, IOError
          nil
        rescue => error
          @context.log.error(error)
        ensure
          @cycles.delete(cycle)
          bridge&.finish
          stream.release
          end_input if @session.over?
        end

        # Clients send requests for several hosts on a connection if its certificate has all of
        # their names. With certificates of clients, each host has a connection of its own, because
        # the client was asked for its certificate by one name (RFC 9110, 15.5.20).
        def refuse_misdirected(env)
          return if @listener.serves?(@io, env["SERVER_NAME"])

          raise Refused.new(MISDIRECTED, "this host needs a connection of its own")
        end

        def open_bridge(env, stream)
          Bridge.translate(env)
          bridge = stream.extend(BridgedStream).bridge
          @scope.spawn { bridge.run(@context) }
          bridge
        end

        # One that has ended, for the next request: four objects fewer.
        def next_cycle(stream)
          cycle = @idle_cycle or return cycle(stream)
          @idle_cycle = nil
          cycle.stream = stream
          cycle
        end

        # Admission knows the deadlines of clients by this field.
        def limit_call(env)
          seconds = HTTP::GRPC.timeout(env["HTTP_GRPC_TIMEOUT"])
          env["HTTP_REQUEST_TIMEOUT"] ||= format("%.6f", seconds) if seconds
        end

        # The client learns why from what has been submitted.
        def abort
          @session.flush
          @session.abort
          end_input
        end

        # The receiving fiber ends when it has taken what has come.
        def end_input
          @socket.shutdown(Socket::SHUT_RD)
        rescue SystemCallError, IOError
          nil
        end
      end
    end
  end
end
