# frozen_string_literal: true

require_relative "probe"
require_relative "ramp_up"
require_relative "fiber_trial"

module Raffia
  class Pool
    class Auto
      # Works in the caller at first, measures, and gives the rest of the same feed to the group of
      # the chosen strategy.
      class WorkerGroup
        def initialize(coordinator, call, probe)
          @coordinator = coordinator
          @call = call
          @probe = probe
          @here = call.slots_on(:inline).call
          @watched = GatedSlot.new(@here, self)
          @groups = []
        end

        def size = @groups.sum(&:size)

        def open(&)
          ThreadTime.watch { in_place(&) }
          @call.stay(@probe) if @groups.empty?
        ensure
          unless @groups.empty?
            Raffia.shield { @groups.each { |group| group.stop if group.respond_to?(:stop) } }
          end
        end

        def start(_count)
          Executor::WorkerLoop.serve(@coordinator, @watched)
          start_group unless @groups.empty?
        end

        def grow(feed)
          move(instead) if failed?
          return Executor::WorkerLoop.serve(@coordinator, @watched, wait: false) if @groups.empty?

          @ramp ? @ramp.grow(@groups.last, feed) : @groups.last.grow(feed)
        end

        def join
          return finish_here if size.zero?

          @groups.each(&:join)
          # Items may have come back for another attempt after the workers were dismissed.
          return finish_here if @ramp&.over?
          return unless failed?

          (instead.measurement.left == 0) ? finish_here : go_on
        end

        def open?
          return false unless @groups.empty?

          consider if @probe.due? && @call.worthwhile?(@probe)
          @groups.empty?
        end

        def watch(&) = @probe.measure(&)

        private

        # Under a scheduler that runs already, fibers are started in the caller's own scope.
        def in_place
          return yield unless ::Fiber.current_scheduler

          @fibers = Executor::Fibers::WorkerGroup.new(@coordinator, @call.most_fibers) do
            @call.fiber_slot(@trial)
          end
          @fibers.open { yield }
        end

        # Items may come back for another attempt after the last one was done.
        def finish_here = Executor::WorkerLoop.serve(@coordinator, @here)

        def go_on
          move(instead)
          start_group
          @coordinator.await(@groups.last)
        end

        def start_group
          if @ramp
            @ramp.start(@coordinator, @groups.last, @here)
          else
            @groups.last.start(@choice.workers)
          end
        end

        def consider
          choice = @call.choose(@probe)
          return move(choice) unless choice.on == :inline

          @call.aim_here
          @probe.rest
        end

        def instead = @call.instead(@choice, @trial)
        def failed? = @trial&.failed? && @choice.on == :fibers

        def move(choice)
          @choice = choice
          @call.explain(choice)
          @groups << group(choice)
          @coordinator.share(choice.workers)
        end

        def group(choice)
          @ramp = (@call.ramp(choice) if choice.on == :processes)
          return @call.group_for(choice, @coordinator, @ramp) unless choice.on == :fibers

          @call.aim(:fibers)
          @trial = FiberTrial.new(choice.measurement.total)
          @fibers || Executor::Fibers::BackgroundGroup
            .new(@coordinator, choice.workers, first: choice.workers) { @call.fiber_slot(@trial) }
        end
      end
    end
  end
end
