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
      # Its methods that mean something to those who follow a run.
      PARTS = {
        File.join(OWN, "simulated_thread.rb") => :thread,
        File.join(OWN, "thread_execution.rb") => :execution,
        File.join(OWN, "thread_scheduler.rb") => :scheduler,
        File.join(OWN, "world.rb") => :world
      }.freeze
      # Methods of core that are written in Ruby.
      INTERNAL = "<internal:"
      private_constant :OWN, :CORE, :PARTS, :INTERNAL

      class << self
        # The part of the simulation that a path is: :thread, :execution, :scheduler, :world, :core
        # (methods that stand for methods of core) or :other; nil for other code.
        def part(path)
          return unless own?(path)

          PARTS.fetch(path) { path.start_with?(CORE) ? :core : :other }
        end

        def own?(path) = path.start_with?(OWN)

        def internal?(path) = path.start_with?(INTERNAL)
      end
    end
  end
end
