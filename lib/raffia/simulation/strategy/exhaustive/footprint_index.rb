# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # The footprints of a run's steps by what they read and write.
        # @api private
        class FootprintIndex
          def initialize
            @readers = {}
            @writers = {}
            @anything = []
          end

          # @param footprint [Footprint] of the step of this number
          def add(footprint, number)
            footprint.reads.each_key { |key| (@readers[key] ||= []) << number }
            footprint.writes.each_key { |key| (@writers[key] ||= []) << number }
            @anything << number if footprint.everything?
          end

          # @return [Array<Integer>] in order: steps before this number that do not commute with it
          def dependent(footprint, number)
            return (0...number).to_a if footprint.everything?
            found = @anything.dup
            footprint.reads.each_key { |key| found.concat(@writers[key]) if @writers.key?(key) }
            footprint.writes.each_key do |key|
              found.concat(@writers[key]) if @writers.key?(key)
              found.concat(@readers[key]) if @readers.key?(key)
            end
            found.uniq.sort
          end
        end
      end
    end
  end
end
