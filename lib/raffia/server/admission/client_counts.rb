# frozen_string_literal: true

module Raffia
  class Server
    class Admission
      # Counts what clients have at a time, such as connections, in memory of a fixed size that
      # worker processes share.
      #
      # A client has a number in each of three rows, by its hash; the smallest one is its count, or
      # more than it when other clients share all three. Each worker also has numbers of its own
      # part, so that those of a killed one can be taken back.
      #
      # @api private
      class ClientCounts
        # Numbers of a row, a power of two.
        ROW = 1 << 15
        # Low bits of the hash that a row leaves out.
        SHIFTS = [0, 20, 40].freeze
        SIZE = SHIFTS.size * ROW
        private_constant :ROW, :SHIFTS, :SIZE

        # Memory for so many workers at a time, made before they are forked.
        def self.memory(workers) = Native::SharedCounters.new((workers + 1) * SIZE)

        # `worker`: its place. One beyond those that the memory is for is not taken back.
        def initialize(memory, worker)
          @memory = memory
          own = (worker + 1) * SIZE
          @own = own if own < memory.size
          freeze
        end

        # Returns the client's count with this one.
        def add(client) = change(client, 1)

        def remove(client) = change(client, -1)

        # Takes back what the worker has left.
        def clear
          return unless @own

          @memory.to_a(@own, SIZE).each_with_index do |count, index|
            next if count.zero?

            @memory.add(index, -count)
            @memory.add(@own + index, -count)
          end
        end

        private

        # Atomic, as each step is.
        def change(client, by)
          hash = client.hash
          numbers = SHIFTS.map.with_index do |shift, row|
            index = row * ROW + ((hash >> shift) & (ROW - 1))
            @memory.add(@own + index, by) if @own
            @memory.add(index, by)
          end
          numbers.min
        end
      end
    end
  end
end
