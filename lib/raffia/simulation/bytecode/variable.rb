# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # A variable that bytecode names.
      #
      # `kind` is :instance, :class, :global, :constant or :local. `level` counts the blocks that
      # lie between the code and the method or block that declares a local: 0 is its own, which
      # counts when a block inside captures it. `parameter`: it is one of the code itself.
      # @api private
      Variable = Data.define(:kind, :name, :level, :parameter) do
        alias_method :parameter?, :parameter

        def initialize(kind:, name:, level: 0, parameter: false) = super

        def to_s = name.to_s
      end
    end
  end
end
