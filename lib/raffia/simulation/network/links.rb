# frozen_string_literal: true

require_relative "link"

module Raffia
  module Simulation
    class Network
      # The links of a network, one for each pair of hosts and direction.
      #
      # @api private
      class Links
        def initialize(network)
          @network = network
          @links = {}
        end

        def find(from, to) = @links[[from, to]] ||= Link.new(@network, from, to)

        # The links of a direction, seen from +one+: :to, :from or :both. +other+ nil: all hosts.
        def between(one, other, direction)
          ones = hosts(one)
          others = other ? hosts(other) : @network.hosts.values - ones
          pairs = ones.product(others)
          back = pairs.map(&:reverse)
          pairs = {to: pairs, from: back, both: pairs + back}.fetch(direction) do
            raise ConfigError,
              "direction: #{direction.inspect} means nothing: use :to, :from, :both"
          end
          pairs.map { |from, to| find(from, to) }
        end

        # Lets all packets through again.
        def heal = @links.each_value(&:heal)

        private

        def hosts(names) = [*names].map { |name| @network.host(name) }
      end
    end
  end
end
