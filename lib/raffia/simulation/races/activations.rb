# frozen_string_literal: true

module Raffia
  module Simulation
    class Races
      # Frames of the program, each with the frame of the code around it, if that can be told: the
      # two share locals.
      # @api private
      class Activations
        MANY = Object.new.freeze
        private_constant :MANY

        # @param identities [Bytecode::Identities]
        def initialize(identities)
          @identities = identities
          @frames_at_start = {}.compare_by_identity
          @single = {}.compare_by_identity
        end

        # A frame begins, above others of its fiber.
        # @param code [Bytecode::Code, nil] nil when it is not known
        # @return [Bytecode::Frame]
        def add(code, frames, thread)
          code = code&.called
          frame = Bytecode::Frame.new(@identities, code, around(code, frames, thread))
          keep(code, frame) if code&.children&.any?
          frame
        end

        # A thread was made by code that runs in these frames.
        def started(thread, frames) = @frames_at_start[thread] = frames.to_a.dup

        private

        # Blocks run above the code around them, or in a thread that this code made. A block that
        # was kept for later belongs to the only frame of that code, if there was one only.
        def around(code, frames, thread)
          outer = code&.parent&.called or return
          find(outer, frames) || find(outer, @frames_at_start[thread]) || alone(outer)
        end

        def find(code, frames) = frames&.reverse_each&.find { |frame| frame.code.equal?(code) }

        def alone(code)
          frame = @single[code]
          frame unless frame.equal?(MANY)
        end

        def keep(code, frame) = @single[code] = @single.key?(code) ? MANY : frame
      end
    end
  end
end
