# frozen_string_literal: true

require_relative "auto/choice"
require_relative "auto/worker_group"
require_relative "auto/starting_slot"
require_relative "auto/obstacles"

module Raffia
  class Pool
    # on: :auto. The first items are worked on in the caller and measured; then the rest goes where
    # it is done soonest, or stays where it is. One of these serves one call.
    #
    # Each item is worked on once, and in order as long as that is in the caller. A block for :auto
    # must not mind where it runs: it gives its result back instead of leaving it in an object
    # outside.
    class Auto
      # Seconds of work in the chunks of the caller: the next look is never far.
      TARGET = 0.001
      private_constant :TARGET

      # @param enough [Float] seconds of work that are measured before a choice
      # @param ramp [Boolean] whether worker processes are started one after the other, while the
      #   caller goes on with the work
      # @yieldparam measurement [Measurement]
      # @yieldparam machine [Machine]
      # @yieldreturn [Choice] by default that of {Choice.of}
      # @api private
      def initialize(enough: Probe::ENOUGH, ramp: true, &chooser)
        @enough = enough
        @ramp = ramp
        @chooser = chooser || Choice.method(:of)
      end

      # For Strategy: {WorkerGroup} makes more of it.
      # @api private
      def workers(_options) = 1

      # @api private
      def chunk_seconds = TARGET

      # @api private
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

      # @api private
      def group = self

      # As a group's class is asked for a group.
      # @api private
      def new(coordinator, _workers)
        WorkerGroup.new(coordinator, self,
          Probe.new(enough: @enough, sends_items: !@input.indexed?))
      end

      # @api private
      def background_group
        raise ConfigError, "on: :auto chooses for one call, by its first items: name a strategy " \
          "for a pool that stays"
      end

      # @api private
      def around = yield

      # @api private
      def in_caller? = true

      # @param strategy [Symbol]
      # @return [#call] makes slots
      # @api private
      def slots_on(strategy) = Strategy.fetch(strategy).slots(@plan, @input, @sizer, @options)

      # @api private
      def fiber_slot(trial)
        GatedSlot.new(slots_on(:fibers).call, trial)
      end

      # @return [Integer]
      # @api private
      def most_fibers = [@options.workers || CostModel::FIBERS, @options.limit].compact.min

      # @param choice [Choice]
      # @param ramp [RampUp, nil] of worker processes
      # @api private
      def group_for(choice, coordinator, ramp = nil)
        aim(choice.on)
        slots = slots_on(choice.on)
        slots = measured(slots, ramp) if ramp
        Strategy.fetch(choice.on).group.new(coordinator, choice.workers, &slots)
      end

      # @param choice [Choice] of processes
      # @return [RampUp, nil]
      # @api private
      def ramp(choice)
        RampUp.new(choice.workers, choice.measurement.total, machine.worker(Costs.new)) if @ramp
      end

      # From now on chunks are cut for this strategy. What the caller wants for chunks is for those
      # that travel.
      # @api private
      def aim(strategy) = @sizer.aim(@options.chunk, target: Strategy.fetch(strategy).chunk_seconds)

      # @api private
      def aim_here = @sizer.aim(nil, target: TARGET)

      # Whether there is enough left to think about it: that takes a moment, too.
      # @api private
      def worthwhile?(probe) = probe.more_than?(@enough / 4, left(probe))

      # @param probe [Probe]
      # @return [Choice]
      # @api private
      def choose(probe)
        # Files are read here, and who is interrupted in the middle of that leaves them open.
        Raffia.shield do
          measurement = probe.conclude(left(probe)) do |refusal|
            Obstacles.new(@plan.block, refusal).to_h
          end
          @choice = @chooser.call(measurement, machine)
        end
      end

      # Fibers were chosen and turned out to be of no use.
      # @param choice [Choice]
      # @param trial [FiberTrial]
      # @return [Choice] of threads
      # @api private
      def instead(choice, trial)
        work = choice.measurement
        obstacles = {**work.obstacles, fibers: "they were tried, and one waits for the other"}
        work = work.with(obstacles:, done: work.done + trial.done, left: work.left &&
          [work.left - trial.done, 0].max)
        Choice.of(work, machine, on: :threads)
      end

      # All of it was done in the caller.
      # @param probe [Probe]
      # @api private
      def stay(probe)
        return unless @options.explain

        choice = @choice || (choose(probe) if probe.measured?)
        explain(choice) if choice
      end

      # Tell why, if that is wanted.
      # @param choice [Choice]
      # @api private
      def explain(choice)
        wish = @options.explain
        wish.respond_to?(:call) ? wish.call(choice) : wish && warn(choice.explain)
      end

      private

      def measured(slots, ramp) = -> { StartingSlot.new(slots, ramp) }

      # @return [Integer, nil] items; nil when nobody knows
      def left(probe)
        size = @input.size
        [size - probe.done, 0].max if size.is_a?(Integer)
      end

      def machine = @machine ||= Machine.here(@options)
    end
  end
end
