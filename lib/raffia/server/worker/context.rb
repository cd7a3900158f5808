# frozen_string_literal: true

require_relative "../../base/log"
require_relative "../../native"
require_relative "../../pool"
require_relative "../admission"
require_relative "../http/null_input"
require_relative "../observability/telemetry"
require_relative "../static"
require_relative "drain"

module Raffia
  class Server
    class Worker
      # The application, settings, limits and telemetry that a worker's connections share.
      #
      # @api private
      class Context
        # Where the options set no limit of connections.
        MAX_THREADS = 10_000
        private_constant :MAX_THREADS

        # @return [#call] the Rack application
        attr_reader :app
        # @return [Options]
        attr_reader :options
        # @return [Logger]
        attr_reader :log
        # @return [Drain]
        attr_reader :drain
        # @return [Hash] the parser's, in bytes
        attr_reader :limits
        # @return [Observability::Telemetry]
        attr_reader :telemetry
        # @return [Admission] to the application
        attr_reader :admission
        # @return [Pool, nil] of threads for the application; nil: it runs in connections' fibers
        attr_reader :threads

        # @return [Process::RecyclePolicy::Usage, nil] of a worker that is replaced after some
        #   requests
        attr_accessor :usage

        # @return [Boolean] whether this is a child that the application has forked: it must not
        #   touch the clients
        attr_accessor :forked

        # @param counters [Observability::Metrics::Counters] for its requests
        def initialize(app, options, log, counters = Observability::Metrics::Counters.alone)
          @app = app = options.static.reverse
            .inject(app) { |inner, root| Static.new(inner, root: root) }
          @options = options
          @log = log || Log.build(Raffia.config)
          @telemetry = Observability::Telemetry.new(options, log: @log, counters: counters)
          @admission = Admission.new(app, options)
          @drain = Drain.new
          @threads = thread_pool if options.threaded?
          @rewindable = options.rewindable_input || rack2? || !!@threads
          @templates = {}.compare_by_identity
          @on_error = @usage = nil
          @forked = false
          @limits = parser_limits
        end

        # @return [Boolean] whether the beginning of long request bodies is kept: Rack 2 demands it,
        #   and for threads the whole body is read before they begin
        def rewindable? = @rewindable

        # @return [Boolean] whether as many requests wait for a thread as there are threads. False
        #   where long waits are refused, because then all of them must be here
        def crowded? = !!@threads && !@admission.limiter.refuses? && @admission.limiter.crowded?

        # Ends the threads, and interrupts what still runs on them.
        def close = @threads&.terminate

        # @param io [IO] of a connection
        # @return [Hash] for the envs of its requests
        def template(listener, io)
          certificate = io.peer_cert if listener.verifies?
          if certificate
            return Native::HTTP1.template(
              {**environment(listener), "raffia.peer_cert" => certificate}
            )
          end

          @templates[listener] ||= Native::HTTP1.template(environment(listener))
        end

        # @yieldparam error [Exception] raised by the application
        # @yieldparam env [Hash]
        def on_error(&block) = @on_error = block

        def report_error(error, env)
          @on_error&.call(error, env)
        rescue Cancel
          raise
        rescue Exception => failure # standard:disable Lint/RescueException
          log.error("the hook on_error failed: #{Log.full(failure)}")
        end

        private

        # {Admission} limits the requests on them, without those that keep a thread for long, such
        # as WebSockets. So there is a thread for each connection, too.
        def thread_pool
          Pool.new(on: :threads,
            workers: @options.threads + (@options.max_connections || MAX_THREADS))
        end

        def parser_limits
          {
            request_line: options.max_line, head: options.max_head, fields: options.max_headers,
            name: options.max_header_name, extensions: options.max_chunk_extensions,
            trailers: options.max_trailers, body: options.max_body
          }.freeze
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
