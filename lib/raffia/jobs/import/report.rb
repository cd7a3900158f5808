# frozen_string_literal: true

module Raffia
  module Jobs
    class Import
      # Counts what an import does.
      class Report
        # @return [Integer] jobs that were stored, or would be
        attr_reader :total
        # @return [Integer] jobs that an earlier, killed import had stored already
        attr_reader :resumed
        # @return [Integer] jobs that a unique job kept out
        attr_reader :left_out
        # @return [Hash{Symbol => Integer}] by set of the store
        attr_reader :sets
        # @return [Hash{String => Integer}] by class
        attr_reader :classes
        # @return [Hash{String => Integer}] dead jobs by reason
        attr_reader :reasons

        def initialize
          @total = @resumed = @left_out = 0
          @sets = Hash.new(0)
          @classes = Hash.new(0)
          @reasons = Hash.new(0)
        end

        # @api private
        def add(entry, stored: true)
          return @left_out += 1 unless stored

          @total += 1
          @sets[entry.set] += 1
          @classes[entry.name] += 1
          @reasons[entry.reason] += 1 if entry.dead?
        end

        # @api private
        def resume(count) = @resumed += count

        # @return [Hash{String => Object}] for JSON
        def to_h
          {"total" => @total, "resumed" => @resumed, "left_out" => @left_out,
           "sets" => @sets.transform_keys(&:to_s), "classes" => @classes, "dead" => @reasons}
        end
      end
    end
  end
end
