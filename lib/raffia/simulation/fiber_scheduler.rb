# frozen_string_literal: true

require_relative "engine"
require_relative "fiber_scheduler/trace_hooks"

module Raffia
  module Simulation
    # Raffia's scheduler inside of a world: the portable one, over a simulated {Engine}. Each
    # simulated thread that calls Raffia.run has its own.
    #
    # @api private
    class FiberScheduler < Scheduler::Portable
      # Scheduler.new would look for a real engine.
      def self.in(world, **options)
        allocate.tap do |one|
          one.extend(TraceHooks) if world.trace
          one.send(:initialize, world, **options)
        end
      end

      # The world finds deadlocks itself, because it sees all threads.
      def initialize(world, **options)
        @world = world
        @names = {}.compare_by_identity
        super(**options, backend: :simulated, deadlock: nil, recycle: false)
      end

      def fiber(**, &)
        child = nil
        super do
          child = ::Fiber.current
          @names[child] = "#{@world.running.path}.#{@names.size + 1}"
          yield
        rescue ::Exception => error # standard:disable Lint/RescueException
          fail_thread(error)
        end
      end

      def fibers = @names.keys

      # The fiber's name in reports.
      def name(fiber) = @names[fiber]

      def address_resolve(hostname) = @world.network.names.resolve(hostname)

      # The world's operations run in the fiber: there is no real thread to take them.
      def blocking_operation_wait(work) = work.call

      private

      # Ruby raises the error of a fiber in the first fiber of its thread. Here that is not the real
      # thread's.
      def fail_thread(error)
        raise error if @world.closing?

        @world.running.main_fiber.raise(error)
      end

      def new_wait(**)
        @world.faults.task_wait
        super
      end

      def attach
        raise_closed if closed?

        self.engine = Engine.new(@world)
        engine
      end
    end
  end
end
