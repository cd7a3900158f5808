# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      # Thread's class methods.
      #
      # @api private
      module ThreadMethods
        TIMINGS = %i[immediate on_blocking never].freeze
        private_constant :TIMINGS

        def new(*arguments, **options, &block)
          world = World.current or return super
          raise ::ThreadError, "must be called with a block" unless block

          arguments << options unless options.empty?
          world.start(arguments, &block).tap { world.returned }
        end

        def start(*arguments, &block)
          World.current ? new(*arguments, &block) : super
        end

        def fork(*arguments, &block)
          World.current ? new(*arguments, &block) : super
        end

        def current
          return real_current unless World.active

          World.current&.running || real_current
        end

        def main
          world = World.current
          world ? world.main_thread : super
        end

        def list
          world = World.current
          world ? world.threads.select(&:alive?) : super
        end

        def pass
          world = World.current
          world ? world.thread_scheduler.pass : super
        end

        def stop
          world = World.current or return super
          world.thread_scheduler.suspend(:sleep)
          nil
        end

        def exit
          World.current ? current.kill : super
        end

        def kill(thread)
          thread.is_a?(SimulatedThread) ? thread.kill : super
        end

        def handle_interrupt(timings)
          world = World.current or return super
          unless timings.is_a?(::Hash) && (timings.values - TIMINGS).empty?
            raise ::ArgumentError, "unknown mask signature"
          end

          thread = world.running
          thread.interrupts.deliver(false)
          value = thread.interrupts.mask(timings) do
            thread.interrupts.deliver(false)
            yield
          end
          thread.interrupts.deliver(false)
          value
        end

        def pending_interrupt?(...)
          world = World.current
          world ? world.running.pending_interrupt?(...) : super
        end

        def ===(object) = SimulatedThread === object || super
      end
    end
  end
end
