# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Functions of Kernel: those that start a process, and those that load code, which no thread
      # may be switched in, because Ruby's own locks would be held.
      #
      # @api private
      module KernelMethods
        PROCESSES = %i[fork spawn system exec `].freeze
        private_constant :PROCESSES

        # The same as private methods of all objects.
        module PrivateMethods
        end

        [self, PrivateMethods].each do |owner|
          owner.module_eval do
            PROCESSES.each do |name|
              define_method(name) do |*arguments, **options, &block|
                world = World.current or return super(*arguments, **options, &block)
                world.boundary.process("#{name} starts a process")
                world.outside { super(*arguments, **options, &block) }
              end
            end

            define_method(:require) do |path|
              world = World.current
              world ? world.thread_scheduler.uninterrupted { super(path) } : super(path)
            end
          end
        end
        PrivateMethods.send(:private, *PROCESSES, :require)
      end
    end
  end
end
