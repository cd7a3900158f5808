# frozen_string_literal: true

require_relative "../service/open_metrics"
require_relative "store_state"

module Raffia
  module Jobs
    # Writes the state of a store to {Service::OpenMetrics}.
    # @api private
    class StoreMetrics
      CONTENT_TYPE = Service::OpenMetrics::CONTENT_TYPE
      QUEUES = {
        "size" => ["raffia_queue_size", "Jobs that wait, by queue.", nil],
        "latency" => ["raffia_queue_latency_seconds",
          "Age of the oldest job that waits, by queue.", "seconds"],
        "overdue" => ["raffia_queue_overdue",
          "Jobs that are due, and not moved to their queue yet.", nil],
        "paused" => ["raffia_queue_paused", "Whether workers take no jobs from it.", nil]
      }.freeze
      SCALING = {
        "latency" => ["raffia_scaling_latency_seconds", "Age of the oldest job that waits.",
          "seconds"],
        "backlog_per_worker" => ["raffia_scaling_backlog_per_worker",
          "Jobs that could begin, by worker.", nil],
        "desired_workers" => ["raffia_scaling_desired_workers", "Workers that the load needs.", nil]
      }.freeze
      private_constant :QUEUES, :SCALING

      # `state`: of {StoreState#to_h}; `scaling`: of {Autoscaling#to_h}.
      def initialize(state, scaling)
        @state = state
        @scaling = scaling
      end

      # OpenMetrics text of a store.
      def self.text(state)
        text = Service::OpenMetrics.new
        new(state.to_h, state.autoscaling.to_h).write(text)
        text.to_s
      end

      def write(text)
        sets = @state["counts"].slice(*Store::SETS.map(&:to_s))
        text.gauge("raffia_jobs", "Jobs in the store, by where they are.",
          sets.transform_keys { |set| {set: set} })
        text.gauge("raffia_jobs_blocked", "Jobs that wait for others, by reason.",
          @state["blocked"].transform_keys { |reason| {reason: reason} })
        workers = @state["workers"]
        text.gauge("raffia_cluster_workers", "Workers that are registered.", workers["processes"])
        text.gauge("raffia_cluster_slots", "Jobs that they may run at a time.", workers["slots"])
        text.gauge("raffia_cluster_busy", "Jobs that they run now.", workers["busy"])
        text.gauge("raffia_flows", "Durable functions, by status.",
          @state["flows"].transform_keys { |status| {status: status} })
        text.gauge("raffia_workflows", "Workflows, by state.",
          @state["workflows"].transform_keys { |state| {state: state} })
        write_queues(text)
        SCALING.each do |field, (name, help, unit)|
          text.gauge(name, help, @scaling[field], unit: unit)
        end
      end

      private

      def write_queues(text)
        QUEUES.each do |field, (name, help, unit)|
          values = @state["queues"].to_h { |queue| [{queue: queue["name"]}, value(queue[field])] }
          text.gauge(name, help, values, unit: unit)
        end
      end

      def value(value)
        case value
        when true then 1
        when false then 0
        else value
        end
      end
    end
  end
end
