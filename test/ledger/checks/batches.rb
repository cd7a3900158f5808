# frozen_string_literal: true

require_relative "check"

module Ledger
  module Checks
    # Each callback of a batch is called, and acknowledged once.
    class Batches < Check
      EVENTS = %w[success complete].freeze

      def initialize
        super
        @kept = []
        @effects = {}
        @called = Hash.new(0)
      end

      def see(event, id, values, torn: false)
        case event
        when :kept_batch then @kept << id
        when :effect then @effects[id] = true
        when :called_back then @called[id] += 1
        end
      end

      def lost
        @kept.product(EVENTS).map { |batch| batch.join("/") }
          .reject { |call| @effects.key?(call) }.map { |call| "callback #{call}" }
      end

      def doubled = @called.select { |_, count| count > 1 }.keys.map { |call| "callback #{call}" }

      def facts = {"batches" => @kept.size}
    end
  end
end
