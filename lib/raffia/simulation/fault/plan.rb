# frozen_string_literal: true

module Raffia
  module Simulation
    module Fault
      # Faults that the program of a run has ordered: at the nth visit of a site.
      #
      # @api private
      class Plan
        # One order. `visits`: still to come.
        Order = Struct.new(:error, :site, :visits)
        private_constant :Order

        def initialize
          @orders = []
        end

        def empty? = @orders.empty?

        # +site+: a method such as "File#write", or a name that the program gives to {Fault}.
        def add(error, site:, nth:)
          unless nth.is_a?(::Integer) && nth.positive?
            raise ConfigError, "nth: #{nth.inspect} is no visit: use 1 for the next one"
          end

          @orders << Order.new(error, site.to_s, nth)
        end

        # The fault of this visit; nil for none.
        def visit(site)
          due = nil
          @orders.delete_if do |order|
            next unless order.site == site.to_s

            order.visits -= 1
            due ||= order if order.visits.zero?
            order.visits.zero?
          end
          due&.error
        end
      end
    end
  end
end
