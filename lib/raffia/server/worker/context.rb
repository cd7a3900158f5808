# frozen_string_literal: true

require_relative "../admission"
require_relative "../compression"
require_relative "../http/null_input"
require_relative "../observability/telemetry"
require_relative "../protocols"
require_relative "../static"
require_relative "../status_pages"
require_relative "drain"
require_relative "zombie_threads"

module Raffia
  class Server
    class Worker
      # The application, settings, limits and telemetry that a worker's connections share.
      #
      # @api private
      class Context
        attr_reader :app, :options, :log, :drain, :limits, :telemetry, :admission
        attr_reader :status_pages
        # Pool of threads for the application; nil: it runs in the connections' fibers.
        attr_reader :threads
        # The threads that run on after their request was answered; nil in fibers.
        attr_reader :zombies
        # Limit of requests that keep a thread for long.
        attr_reader :long_lived
        # Limits of HTTP/2's connections.
        attr_reader :http2_limits
        # Sends output of HTTP/2's connections and checks their timers; nil: there are none.
        attr_reader :connection_monitor

        # Counts the requests of a worker that is replaced after some, or nil.
        attr_accessor :usage

        # Moves connections to other workers, or nil.
        attr_accessor :mover

        # True in a child that the application has forked: it must not touch the clients.
        attr_accessor :forked

        def initialize(app, options, log, counters = Observability::Metrics::Counters.alone)
          @app = app = wrap(app, options)
          @options = options
          @log = log || Log.build(Raffia.config)
          @telemetry = Observability::Telemetry.new(options, log: @log, counters: counters)
          @admission = Admission.new(app, options, counters.rates)
          @status_pages = StatusPages.new(options.error_page)
          @drain = Drain.new
          if options.threaded?
            @threads = thread_pool
            @long_lived = Admission::ThreadLimit.new(options.max_io_threads)
            @zombies =
              ZombieThreads.new(options, options.most_threads, @admission.limiter, counters, @log)
          end
          @rewindable = options.rewindable_input || rack2? || !!@threads
          @templates = Hash.new { |all, streams| all[streams] = {}.compare_by_identity }
          @on_error = @usage = @mover = nil
          @forked = false
          @limits = parser_limits
          use_http2 if Protocols.http2?(options)
        end

        # Whether request bodies are kept: Rack 2 demands it, and threads need the whole body.
        def rewindable? = @rewindable

        # Whether as many requests wait for a thread as there are threads. False where long waits
        # are refused, because the limiter then has to see all requests.
        def crowded? = !!@threads && !@admission.limiter.refuses? && @admission.limiter.crowded?

        # Interrupts what still runs on threads.
        def close = @threads&.terminate

        # Keys that all envs of a connection share, made ready by the `template` of its streams'
        # class.
        def template(streams, listener, io)
          certificate = io.peer_cert if listener.verifies?
          if certificate
            return streams.template({**environment(listener), "raffia.peer_cert" => certificate})
          end

          @templates[streams][listener] ||= streams.template(environment(listener))
        end

        def on_error(&block) = @on_error = block

        def report_error(error, env)
          @on_error&.call(error, env)
        rescue Cancel
          raise
        rescue Exception => failure # standard:disable Lint/RescueException
          log.error("the hook on_error failed: #{Log.full(failure)}")
        end

        private

        # Layers that no setting asks for are not there.
        def wrap(app, options)
          app = options.static.reverse.inject(app) { |inner, root| Static.new(inner, root: root) }
          options.compress.any? ? Compression.new(app, options) : app
        end

        # {Admission} limits requests, but not those that keep a thread for long, such as
        # WebSockets: these are besides.
        def thread_pool
          Pool.new(on: :threads, keep: @options.least_threads,
            workers: @options.most_threads + @options.max_io_threads)
        end

        def parser_limits
          {
            request_line: options.max_line, head: options.max_head, fields: options.max_headers,
            name: options.max_header_name, extensions: options.max_chunk_extensions,
            trailers: options.max_trailers, body: options.max_body
          }.freeze
        end

        def use_http2
          @connection_monitor = HTTP2::ConnectionMonitor.new(@options)
          @http2_limits = @limits.merge(streams: @options.http2_max_streams,
            window: @options.http2_window,
            connect: (@options.websockets_over_http2 == :off) ? 0 : 1).freeze
        end

        def rack2? = defined?(::Rack.release) && ::Rack.release < "3"

        def environment(listener)
          {
            "rack.errors" => $stderr, "rack.input" => HTTP::NullInput::ONE,
            "rack.url_scheme" => listener.scheme, "rack.multithread" => true,
            "rack.multiprocess" => true, "rack.run_once" => false, "rack.hijack?" => true,
            "raffia.drain" => @drain, "SCRIPT_NAME" => "", "SERVER_NAME" => listener.host,
            "SERVER_PORT" => (listener.port || ((listener.scheme == "https") ? 443 : 80)).to_s,
            **(rack2? ? {"rack.version" => [1, 3].freeze} : {}),
            **(listener.tls? ? {"HTTPS" => "on"} : {})
          }
        end
      end
    end
  end
end
