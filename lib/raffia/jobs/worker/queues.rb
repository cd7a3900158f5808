# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Queues of a worker, and their order in each claim: as given, or random by weight. A queue of
      # weight 3 comes first three times as often as one of weight 1, and none is starved.
      #
      # @api private
      class Queues
        DEFAULT = ["default"].freeze

        # Weights by name, {} when the order is fixed.
        attr_reader :names, :weights

        # "mail" or "mail,3", also several in an Array; or {"mail" => 3}. Raises {ConfigError}.
        def initialize(given = DEFAULT)
          pairs = if given.is_a?(Hash)
            given.to_a
          else
            Array(given).map { |text| text.to_s.split(",", 2) }
          end
          pairs = [DEFAULT] if pairs.empty?
          @names = pairs.map { |name, _| name.to_s.freeze }.uniq.freeze
          @weights = weigh(pairs).freeze
          @names.each { |name| Client::PayloadBuilder.check_queue(name) }
        end

        def order
          return @names if @weights.empty?

          @names.sort_by { |name| -(rand**(1.0 / @weights[name])) }
        end

        def to_s
          @names.map { |name| @weights.empty? ? name : "#{name},#{@weights[name]}" }.join(" ")
        end

        private

        # A single queue needs no weight. Among weighted ones, a queue without has 1.
        def weigh(pairs)
          return {} if @names.size == 1 || pairs.none? { |_, weight| weight }

          pairs.to_h { |name, weight| [name.to_s, number(weight || 1)] }
        end

        def number(weight)
          number = Integer(weight.to_s, 10, exception: false)
          return number if number&.positive?

          raise ConfigError, "#{weight.inspect} is no weight of a queue: use a whole number from " \
            "1 up, as in mail,3"
        end
      end
    end
  end
end
