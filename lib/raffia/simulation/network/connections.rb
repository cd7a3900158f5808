# frozen_string_literal: true

require_relative "connection"

module Raffia
  module Simulation
    class Network
      # The TCP connections of a network that are not over.
      #
      # @api private
      class Connections
        def initialize(world)
          @world = world
          @connections = []
        end

        def add(connection)
          @connections << connection
          connection
        end

        # Ends those between two hosts by a RST to both.
        def reset(one, other)
          @connections.select { |connection| connection.between?(one, other) }.each do |connection|
            connection.endpoints.each { |endpoint| endpoint.reset(::Errno::ECONNRESET) }
          end
          @world.interest.poll
        end

        # Ends those of a host, with a RST to the other side or without a word.
        def crash(host, silently:)
          endpoints.select { |one| one.host.equal?(host) }.each do |endpoint|
            silently ? endpoint.vanish : endpoint.abort
          end
        end

        # Moves bytes between programs and the network. Returns whether there were any.
        def poll
          return false if @connections.empty?

          moved = endpoints.map(&:flush).any?
          moved = pump || moved
          sweep
          moved
        end

        private

        def endpoints = @connections.flat_map(&:endpoints)

        def pump
          by_wire = endpoints.filter_map { |one| [one.readable, one] if one.readable }.to_h
          ready = by_wire.any? && Interest.select([by_wire.keys, nil, nil])
          ready ? ready.first.map { |wire| by_wire[wire].pump }.any? : false
        end

        def sweep
          @connections.delete_if do |connection|
            next unless connection.over?

            connection.endpoints.each(&:dispose)
          end
        end
      end
    end
  end
end
