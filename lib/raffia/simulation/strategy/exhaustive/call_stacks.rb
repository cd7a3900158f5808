# frozen_string_literal: true

module Raffia
  module Simulation
    module Strategy
      class Exhaustive < Fifo
        # The calls of each fiber that have not returned.
        # @api private
        class CallStacks
          # A frame of Ruby code: its name, and what it does in its current line.
          Frame = Struct.new(:name, :segments, :object, :binding)

          def initialize
            @frames = {}.compare_by_identity
            @calls = {}.compare_by_identity
            @entered = Hash.new(0)
          end

          # Frames of Ruby code, the innermost one last.
          def frames = @frames[::Fiber.current] ||= []

          # Methods in C, as pairs of their effect and receiver: an iterator goes on, a wait ends.
          def calls = @calls[::Fiber.current] ||= []

          # Adds a frame. Its name is the path of its thread and a number.
          def push(path)
            frames << (frame = Frame.new([path, @entered[path] += 1]))
            frame
          end
        end
      end
    end
  end
end
