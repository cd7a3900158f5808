# frozen_string_literal: true

require_relative "../../base/log"
require_relative "../../native"
require_relative "../admission"
require_relative "drain"
require_relative "../observability/telemetry"
require_relative "../http/null_input"
require_relative "../static"
require_relative "../../pool"

module Raffia
  class Server
    class Worker
      # What all connections of a worker have in common.
      #
      # @api private
      class Context
        # Where nothing bounds the connections.
        MOST_THREADS = 10_000
        private_constant :MOST_THREADS

        # @return [#call] the Rack app
        attr_reader :app
        # @return [Options]
        attr_reader :options
        # @return [Logger]
        attr_reader :log
        # @return [Drain]
        attr_reader :drain
        # @return [Hash] what the wire keeps to; bytes
        attr_reader :limits
        # @return [Observability::Telemetry]
        attr_reader :monitor
        # @return [Admission] to the app
        attr_reader :admission

        # @return [Pool, nil] of threads that the application runs on; nil: it runs in the fibers of
        #   connections
        attr_reader :threads

        # @return [Tenure, nil] of a worker that is to be replaced after some requests
        attr_accessor :tenure

        # @return [Boolean] whether this is a child that the app has forked, and that has nothing to
        #   do with the clients
        attr_accessor :left

        # @param ledger [Observability::Metrics::Counters] where requests are counted
        def initialize(app, options, log, ledger = Observability::Metrics::Counters.alone)
          @app = app = options.static.reverse
            .inject(app) { |inner, root| Static.new(inner, root: root) }
          @options = options
          @log = log || Log.build(Raffia.config)
          @monitor = Observability::Telemetry.new(options, log: @log, ledger: ledger)
          @admission = Admission.new(app, options)
          @drain = Drain.new
          @threads = app_threads if options.threaded?
          @rewindable = options.rewindable_input || rack2? || false
          @templates = {}.compare_by_identity
          @on_error = @tenure = nil
          @left = false
          @limits = {
            request_line: options.max_line, head: options.max_head, fields: options.max_headers,
            name: options.max_header_name,
            extensions: options.max_chunk_extensions, trailers: options.max_trailers,
            body: options.max_body
          }.freeze
        end

        # @return [Boolean] whether the beginning of long request bodies is kept: Rack 3 does not
        #   ask for that, Rack 2 did. What is to be read on a thread is here before that begins, so
        #   it is kept anyway
        def rewindable? = @rewindable || !!@threads

        # @return [Boolean] whether as many requests wait for a thread as there are threads. Where
        #   those that wait for too long are told so, all must be here
        def crowded? = !!@threads && !@admission.gate.refuses? && @admission.gate.crowded?

        # Ends the threads; what still runs on them is interrupted.
        # @return [void]
        def close = @threads&.terminate

        # @param listener [Listen::Listener]
        # @param io [IO] of a connection
        # @return [Hash] what every env of a request that comes in there has
        def template(listener, io)
          certificate = io.peer_cert if listener.verifies?
          if certificate
            return Native::HTTP1.template({**environment(listener),
              "raffia.peer_cert" => certificate})
          end

          @templates[listener] ||= Native::HTTP1.template(environment(listener))
        end

        # What the application raises goes there too.
        # @yieldparam error [Exception]
        # @yieldparam env [Hash]
        def on_error(&block) = @on_error = block

        # @return [void]
        def tell_error(error, env)
          @on_error&.call(error, env)
        rescue Cancel
          raise
        rescue Exception => failure # standard:disable Lint/RescueException
          log.error("the hook on_error failed: #{Log.full(failure)}")
        end

        private

        # How many requests are on them is for {Admission} to say: one that has a thread for long,
        # such as a WebSocket, is not counted.
        def app_threads
          Pool.new(on: :threads, workers: @options.threads +
            (@options.max_connections || MOST_THREADS))
        end

        def rack2? = defined?(::Rack.release) && ::Rack.release < "3"

        def environment(listener)
          {
            "rack.errors" => $stderr, "rack.input" => HTTP::NullInput::ONE,
            "rack.url_scheme" => listener.scheme,
            "rack.multithread" => true, "rack.multiprocess" => true, "rack.run_once" => false,
            "rack.hijack?" => true,
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
