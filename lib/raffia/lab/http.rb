# frozen_string_literal: true

require_relative "experiment"
require_relative "http/server"
require_relative "http/wrk"

module Raffia
  module Lab
    # A small HTTP server, a fiber for each connection, under wrk. One row for each back end of the
    # event loop.
    class Http < Experiment
      BACKENDS = %i[uring epoll poll select].freeze
      CONNECTIONS = 1_024
      SECONDS = 10
      WARM_UP = 1
      # Descriptors of wrk and the server besides the connections.
      SPARE_FILES = 200

      def name = "http"

      def title = "a fiber HTTP server under wrk, on each back end"

      def variants = BACKENDS

      def workers(_variant, _cores) = [1]

      def workers?(_variant) = false

      # The published figures have it, too.
      def baseline = :poll

      def cpu_bound? = false

      def metric = Metric::RATE

      def params(scale)
        {connections: CONNECTIONS, threads: 2, seconds: [(SECONDS * scale).round, 1].max,
         warm_up: WARM_UP}
      end

      def size(params)
        "wrk -t#{params[:threads]} -c#{params[:connections]} -d#{params[:seconds]}s"
      end

      def needs = {nofile: CONNECTIONS + SPARE_FILES}

      def obstacles(_params)
        reason = Wrk.missing || Limits.obstacle(needs)
        return blocked(reason) if reason
        Raffia::Engine.probe.reject { |found| found[:ok] }
          .to_h { |found| [found[:name], found[:reason]] }
      end

      def warm_up(_setting) = nil # wrk does it, with its first command

      def serve(setting, host) = measured { Server.new.run(setting.variant, host) }

      def driver(params, announced)
        [params[:warm_up], params[:seconds]].map do |seconds|
          Wrk.command(params, seconds, announced.fetch(:port))
        end
      end

      def driven(outputs) = Wrk.facts(outputs)

      def verify(params, facts, _report)
        extra = facts[:served] - facts[:requests]
        {
          "zero errors" => facts[:errors].zero?,
          # The server also answers requests that are under way when wrk stops counting, in each
          # of its two commands.
          "requests counted by the server" => extra.between?(0, 2 * params[:connections]),
          "all connections held" => facts[:connections] >= 2 * params[:connections]
        }
      end

      def extras
        [ExtraMetric.new(key: :errors),
          ExtraMetric.new(key: :p99, label: "p99 ms", format: "%.1f"),
          ExtraMetric.new(key: :cpu_per_request, label: "CPU us/req", format: "%.1f")]
      end

      private

      # The server's counts, and the CPU of a request.
      def measured(&)
        reading = Meter.measure(&)
        facts = reading.value
        {**facts, cpu_per_request: reading.cpu * 1e6 / [facts[:served], 1].max}
      end
    end
  end
end
