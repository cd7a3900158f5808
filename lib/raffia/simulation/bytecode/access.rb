# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # One read or write of a variable within a segment.
      #
      # `calls` counts the calls of the segment that come before it in the bytecode. `certain` is
      # false where a branch may go around it, as in `@a ||= 1`.
      # @api private
      Access = Data.define(:variable, :write, :calls, :certain) do
        alias_method :write?, :write
        alias_method :certain?, :certain
      end
    end
  end
end
