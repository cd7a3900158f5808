# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # Reads and writes of a thread's step, by names that are the same in each run.
        # @api private
        class Footprint
          attr_reader :reads, :writes

          def initialize(reads: [], writes: [])
            @reads = keys(reads)
            @writes = keys(writes)
            @everything = false
          end

          def read(key) = @reads[key] = true

          def write(key) = @writes[key] = true

          # It did what nothing is known about.
          def everything! = @everything = true

          def everything? = @everything

          def empty? = !@everything && @reads.empty? && @writes.empty?

          # @return [Boolean] whether two steps may change places: neither writes what the other one
          #   touches
          def independent?(other)
            return false if @everything || other.everything?
            apart?(@writes, other.writes) && apart?(@writes, other.reads) &&
              apart?(@reads, other.writes)
          end

          private

          def keys(list) = list.to_h { |key| [key, true] }

          def apart?(some, others)
            some, others = others, some if some.size > others.size
            some.none? { |key, _| others.key?(key) }
          end
        end
      end
    end
  end
end
