# frozen_string_literal: true

require_relative "core_methods"
require_relative "dispatcher"
require_relative "lock_order"
require_relative "preemption"
require_relative "races"
require_relative "watchdog"
require_relative "world"

module Raffia
  module Simulation
    # The real thread in which worlds run, one after the other, while the caller waits.
    #
    # @api private
    class RealThread
      # The result of a run. `world` is over.
      Outcome = ::Data.define(:value, :error, :world, :races)

      # Seconds for the thread to end when the caller is interrupted.
      GRACE = 5
      private_constant :GRACE

      def self.open(settings, &) = new(settings).call(&)

      def initialize(settings)
        CoreMethods.install
        CoreMethods.install_faults unless settings.faults.empty?
        @settings = settings
        @dispatcher = Dispatcher.new
        @watchdog = Watchdog.new(settings.real_limit)
        @lock_order = LockOrder.new unless settings.ignore?(:lock_order)
        @preemption = Preemption.new(settings.preempt_in) unless settings.preempt == :none
      end

      # Runs the block, which gets this object, in the thread; returns its value.
      def call
        if World.active
          raise Error, "a simulation runs already in this process: one can run at a time"
        end

        thread = ::Thread.new { with_scheduler { yield self } }
        thread.report_on_exception = false
        value = @watchdog.watch(thread) { thread.value }
        @watchdog.error ? raise(@watchdog.error) : value
      ensure
        finish(thread)
      end

      # Runs a block in a new world.
      def run(decisions, seed:, trace: nil, &block)
        world = World.new(@settings, decisions, seed: seed, real_thread: ::Thread.current, trace:,
          preemption: @preemption)
        @dispatcher.world = World.activate(world)
        @preemption&.begin(world, block)
        generator = ::Kernel.srand(seed)
        races = watch_races(world)
        @watchdog.during(world) { run_world(world, races, &block) }
        main = world.main_thread
        error = error_of(world, main) || (races&.error unless @settings.ignore?(:races))
        Outcome.new(main.completion.value, error, world, races&.found)
      ensure
        World.activate(nil)
        ::Kernel.srand(generator) if generator
      end

      private

      # After an interrupt of the caller, a run may still be under way.
      def finish(thread)
        return unless thread

        World.active&.stop(Error.new("the exploration was interrupted")) if thread.alive?
        thread.kill.join(GRACE)
      rescue ::Exception # standard:disable Lint/RescueException
        nil # its own error, which `value` has raised
      ensure
        World.activate(nil)
      end

      def with_scheduler
        ::Fiber.set_scheduler(@dispatcher)
        yield
      ensure
        @preemption&.stop
      end

      def run_world(world, races)
        run = -> { world.clock.installed { world.run { yield Handle.new(world) } } }
        return races.watch(&run) if races

        @lock_order ? @lock_order.watch(world, &run) : run.call
      end

      def watch_races(world)
        return unless @settings.races

        @scope ||= Preemption::Scope.new(@settings.preempt_in)
        @bytecode ||= Bytecode.new
        @points ||= Preemption.new(@settings.preempt_in)
        Races.new(bytecode: @bytecode, scope: @scope.method(:include?),
          point: @points.method(:point?)) { world.running unless world.closing? }
      end

      def error_of(world, main)
        world.failure || main.error || (Findings.new(world, @settings).error if main.error.nil?)
      end
    end
  end
end
