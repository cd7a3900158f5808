# frozen_string_literal: true

module Raffia
  module Simulation
    # Tells the code of the simulation from that of the program, by path.
    #
    # @api private
    module SourceFiles
      OWN = __dir__
      # Its methods that stand for methods of core.
      CORE = File.join(OWN, "core_methods/")
      THREAD = File.join(OWN, "simulated_thread.rb")
      WORLD = File.join(OWN, "world.rb")
      # Methods of core that are written in Ruby.
      INTERNAL = "<internal:"
      private_constant :OWN, :CORE, :THREAD, :WORLD, :INTERNAL

      class << self
        # The part of the simulation that a path is: :thread, :world, :core (methods that stand for
        # methods of core) or :other; nil for other code.
        def part(path)
          case path
          when THREAD then :thread
          when WORLD then :world
          else
            return unless own?(path)

            path.start_with?(CORE) ? :core : :other
          end
        end

        def own?(path) = path.start_with?(OWN)

        def internal?(path) = path.start_with?(INTERNAL)
      end
    end
  end
end
