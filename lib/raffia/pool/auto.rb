# frozen_string_literal: true

require_relative "auto/choice"
require_relative "auto/worker_group"
require_relative "auto/starting_slot"
require_relative "auto/obstacles"

module Raffia
  class Pool
    # The strategy +on: :auto+, for one call. It works on the first items in the caller, measures
    # them, and moves the rest to where it is done soonest. Each item is worked on once.
    #
    # @api private
    class Auto
      # Seconds of work in the chunks of the caller: it can soon move.
      TARGET = 0.001
      private_constant :TARGET

      # `enough`: seconds of work to measure before a choice. `ramp`: whether worker processes start
      # one after the other, while the caller works on. The block chooses in place of {Choice.of}.
      def initialize(enough: Probe::ENOUGH, ramp: true, &chooser)
        @enough = enough
        @ramp = ramp
        @chooser = chooser || Choice.method(:of)
      end

      # The strategy of the call, as {Strategy} needs it; {WorkerGroup} starts more workers.
      def capacity(_options) = 1
      def granularity = TARGET

      def slots(plan, input, sizer, options)
        @plan = plan
        @input = input
        @sizer = sizer
        @options = options
        @choice = nil
        # A fold without an initial value does nothing for its first item.
        sizer.aim((plan.operation == :reduce) ? 2 : nil, target: TARGET)
        -> { raise Error, "the group makes its own slots" }
      end

      def group = self

      # In place of the class of groups that an executor has.
      def new(coordinator, _workers)
        WorkerGroup.new(coordinator, self,
          Probe.new(enough: @enough, sends_items: !@input.indexed?))
      end

      def background_group
        raise ConfigError, "on: :auto chooses for one call, by its first items: name a strategy " \
          "for a pool that stays"
      end

      def around = yield
      def in_caller? = true

      def slots_on(strategy)
        Strategy.slots(Strategy.fetch(strategy), @plan, @input, @sizer, @options)
      end

      def fiber_slot(trial)
        GatedSlot.new(slots_on(:fibers).call, trial)
      end

      def most_fibers = [@options.workers || CostModel::FIBERS, @options.limit].compact.min

      def group_for(choice, coordinator, ramp = nil)
        aim(choice.on)
        slots = slots_on(choice.on)
        slots = measured(slots, ramp) if ramp
        Strategy.fetch(choice.on).group.new(coordinator, choice.workers, &slots)
      end

      def ramp(choice)
        RampUp.new(choice.workers, choice.measurement.total, machine.worker(Costs.new)) if @ramp
      end

      # The caller's +chunk:+ is for chunks that travel.
      def aim(strategy) = @sizer.aim(@options.chunk, target: Strategy.fetch(strategy).granularity)
      def aim_here = @sizer.aim(nil, target: TARGET)

      # Whether there is enough left: a choice takes a moment, too.
      def worthwhile?(probe) = probe.more_than?(@enough / 4, left(probe))

      def choose(probe)
        # An interrupt while files are read here would leave them open.
        Raffia.shield do
          measurement = probe.conclude(left(probe)) do |refusal|
            Obstacles.new(@plan.block, refusal).to_h
          end
          @choice = @chooser.call(measurement, machine)
        end
      end

      # Fibers were chosen and turned out to be of no use: threads.
      def instead(choice, trial)
        work = choice.measurement
        obstacles = {**work.obstacles, fibers: "they were tried, and one waits for the other"}
        work = work.with(obstacles:, done: work.done + trial.done, left: work.left &&
          [work.left - trial.done, 0].max)
        Choice.of(work, machine, on: :threads)
      end

      def stay(probe)
        return unless @options.explain

        choice = @choice || (choose(probe) if probe.measured?)
        explain(choice) if choice
      end

      def explain(choice)
        wish = @options.explain
        wish.respond_to?(:call) ? wish.call(choice) : wish && warn(choice.explain)
      end

      private

      def measured(slots, ramp) = -> { StartingSlot.new(slots, ramp) }

      def left(probe)
        size = @input.size
        [size - probe.done, 0].max if size.is_a?(Integer)
      end

      def machine = @machine ||= Machine.here(@options)
    end
  end
end
