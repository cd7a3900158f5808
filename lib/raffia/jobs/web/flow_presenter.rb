# frozen_string_literal: true

require "forwardable"
require_relative "../redaction/flow"
require_relative "../store"

module Raffia
  module Jobs
    class Web
      # A durable function on its page, without hidden values.
      # @api private
      class FlowPresenter
        extend Forwardable

        CHILD = /\Achild:(.+)\z/m
        private_constant :CHILD

        def_delegators :@flow, :data, :steps

        def initialize(flow, steps = [])
          @flow = Redaction::Flow.new(flow, steps)
        end

        def id = self["id"]

        def name = self["class"]

        def status = self["status"]

        def [](field) = data[field]

        def ended? = Store::Flows::ENDED.include?(status)

        # The published value as JSON.
        def published = unwrap(self["state"])

        # The value of a recorded step as JSON.
        def value(step) = unwrap(step.value)

        # Steps that it waits in.
        def waits = steps.select(&:pending?)

        # The time of a step that waits; nil: there is none.
        def until(step) = (step.at if step.at && step.at < Store::Flows::NEVER)

        # The signal of a step that waits; nil for that of a child.
        def signal(step) = (step.signal unless step.signal.to_s.match?(CHILD))

        # Ids of functions that it has started.
        def children
          steps.flat_map { |step|
            next [step.signal[CHILD, 1]].compact if step.signal
            next [] unless step.kind == "start" && step.value

            JSON.parse(step.value).grep(String)
          }.uniq
        rescue JSON::ParserError
          []
        end

        private

        # A value is stored in an Array.
        def unwrap(json) = json.delete_prefix("[").delete_suffix("]")
      end
    end
  end
end
