# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Process's clock, and what starts a process or a Ractor, which no world can hold.
      #
      # @api private
      module ProcessMethods
        # IO.popen.
        module Pipes
          def popen(...)
            World.current&.boundary&.process("IO.popen starts a process")
            super
          end
        end

        # Ractor.new.
        module Ractors
          def new(...)
            World.current&.boundary&.process("Ractor.new starts a real thread")
            super
          end
        end

        # The original by its name: `super` would cost twice as much, and it is called often.
        def clock_gettime(clock, unit = :float_second)
          world = World.current if World.active
          return __raffia_Process_clock_gettime(clock, unit) unless world

          world.clock.gettime(clock, unit, world.clock_offset)
        end

        %i[fork spawn daemon exec].each do |name|
          define_method(name) do |*arguments, **options, &block|
            World.current&.boundary&.process("Process.#{name} starts a process")
            super(*arguments, **options, &block)
          end
        end
      end
    end
  end
end
