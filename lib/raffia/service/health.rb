# frozen_string_literal: true

require "json"
require_relative "open_metrics"

module Raffia
  module Service
    # Rack application for load balancers, deployments and monitoring:
    #
    # * /health: 200 while some worker works, else 503
    # * /ready: 200 when all workers do
    # * /metrics: OpenMetrics text
    # * /stats.json: the same and more as JSON
    # * /scaling.json: a report's `scaling`, if it has one, for autoscalers
    #
    # A report answers `serving?`, `ready?`, `state` (a line), `trouble` (a further line, or nil),
    # `write(text)` (to {OpenMetrics}) and `stats` (a Hash).
    #
    # @api private
    class Health
      TEXT = {"content-type" => "text/plain; charset=utf-8", "cache-control" => "no-store"}.freeze
      METRICS = {**TEXT, "content-type" => OpenMetrics::CONTENT_TYPE}.freeze
      JSON_TYPE = {**TEXT, "content-type" => "application/json"}.freeze
      private_constant :TEXT, :METRICS, :JSON_TYPE

      def initialize(report)
        @report = report
      end

      def call(env)
        case env["PATH_INFO"]
        when "/health" then state(@report.serving?)
        when "/ready" then state(@report.ready?, @report.trouble)
        when "/metrics"
          [200, METRICS.dup, [OpenMetrics.new.tap { |text| @report.write(text) }.to_s]]
        when "/stats.json", "/stats"
          [200, JSON_TYPE.dup, ["#{::JSON.pretty_generate(@report.stats)}\n"]]
        when "/scaling.json" then scaling
        else [404, TEXT.dup, ["/health /ready /metrics /stats.json /scaling.json\n"]]
        end
      end

      private

      def scaling
        return [404, TEXT.dup, ["nothing is scaled here\n"]] unless @report.respond_to?(:scaling)

        data = @report.scaling
        [data ? 200 : 503, JSON_TYPE.dup,
          ["#{::JSON.generate(data || {"error" => @report.trouble || "no answer yet"})}\n"]]
      end

      def state(good, trouble = nil)
        [(good && trouble.nil?) ? 200 : 503, TEXT.dup,
          ["#{@report.state}\n", *("#{trouble}\n" if trouble)]]
      end
    end
  end
end
