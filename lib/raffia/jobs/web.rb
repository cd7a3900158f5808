# frozen_string_literal: true

require_relative "../jobs"
require_relative "store_metrics"
require_relative "web/access"
require_relative "web/assets"
require_relative "web/origin_check"
require_relative "web/response"
require_relative "web/request"
require_relative "web/routes"

module Raffia
  module Jobs
    # The dashboard: pages for people and JSON for programs, a Rack app under any path.
    #
    #     map("/jobs") do
    #       run Raffia::Jobs::Web.new(user: "admin", password: ENV.fetch("JOBS_PASSWORD"))
    #     end
    #
    # By default it answers only requests from its own machine. It needs no session, cookies or
    # JavaScript; with JavaScript, pages refresh themselves.
    class Web
      # Path of the metrics for Prometheus.
      OPEN_METRICS = "/openmetrics"
      private_constant :OPEN_METRICS

      # @return [String]
      attr_reader :title
      # @return [String, nil] URL that the title links to
      attr_reader :back
      # @return [Numeric, nil] seconds between two refreshes of a page
      attr_reader :refresh

      # @param store [Store, nil] nil: {Jobs.store}, on use
      # @param auth [#call, :none, nil] gets each env and returns whether the request is allowed;
      #   :none: the surrounding application decides; nil: user and password, or this machine only
      # @param user [String, nil] for HTTP basic authentication, with the password
      # @param read_only [Boolean] whether changes are refused
      # @param refresh [Numeric, nil] seconds, nil: never
      # @raise [ConfigError]
      def initialize(store: nil, auth: nil, user: nil, password: nil, read_only: false,
        title: "Raffia", back: nil, refresh: 5)
        if refresh && !(refresh.is_a?(Numeric) && refresh.positive?)
          raise ConfigError, "refresh: #{refresh.inspect} are no seconds: use a number such as " \
            "5, or nil"
        end

        @store = store
        @access = Access.of(auth, user, password)
        @read_only = read_only
        @title = title
        @back = back
        @refresh = refresh
      end

      # @param env [Hash] of Rack
      # @return [Array(Integer, Hash, Array<String>)]
      def call(env)
        status, headers, body = answer(env, Request.new(env))
        [status, headers, (env["REQUEST_METHOD"] == "HEAD") ? [] : body]
      end

      # @return [Boolean]
      def read_only? = !!@read_only

      # @return [Store]
      # @raise [StoreUnavailable, ConfigError, MissingDependency]
      def store = @store || Jobs.store

      # Figures of the store for monitoring; kept for seconds.
      # @api private
      def state
        @state = nil unless @state_of.equal?(store)
        @state_of = store
        @state ||= StoreState.new(store)
      end

      private

      def answer(env, request)
        @access.refusal(env) || asset(request) || (request.post? ? change(request) : show(request))
      rescue Request::Invalid => error
        Response.text(400, error.message)
      end

      def asset(request)
        request.path.start_with?(Assets::FOLDER) ? Assets.reply(request.path) : nil
      end

      def show(request)
        unless request.read?
          return Response.text(405, "Only GET, HEAD and POST are known here.",
            "allow" => "GET, HEAD, POST")
        end

        return metrics(request) if request.path == OPEN_METRICS

        attempt(request) do |page|
          next Response.json(page.status, page.data) if request.api?
          next Response.json(page.status, page.parts) if request.parts?

          Response.html(page.status, page.document)
        end
      end

      def metrics(request)
        Response.text(200, StoreMetrics.text(state).chomp,
          "content-type" => StoreMetrics::CONTENT_TYPE)
      rescue StoreUnavailable, MissingDependency => error
        problem(request, 503, error)
      end

      def change(request)
        return Response.text(403, "This dashboard is read-only.") if read_only?
        return Response.text(403, OriginCheck::REFUSAL) unless OriginCheck.same_origin?(request)

        attempt(request) do |page|
          outcome = page.change(request["action"].to_s)
          # A page asks for confirmation.
          next Response.html(200, outcome.document) if outcome.is_a?(Page)

          Response.outcome(page, outcome)
        end
      end

      # Errors of the store and of the request become pages.
      def attempt(request)
        yield Routes.page(request, self)
      rescue NotFound => error
        problem(request, 404, error)
      rescue ConfigError => error
        problem(request, 422, error)
      rescue Unsupported => error
        problem(request, 501, error)
      rescue StoreUnavailable, MissingDependency => error
        problem(request, 503, error)
      end

      def problem(request, status, error)
        return Response.json(status, {"error" => error.message}) if request.api? || request.parts?

        Response.html(status, Pages::Problem.new(request, self, status, error).document)
      end
    end
  end
end
