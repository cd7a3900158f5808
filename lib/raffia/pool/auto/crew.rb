# frozen_string_literal: true

require_relative "../crew/driver"
require_relative "../crew/fiber_crew"
require_relative "annex"
require_relative "probe"
require_relative "ramp"
require_relative "trial"
require_relative "watched_seat"

module Raffia
  class Pool
    class Auto
      # Works in the caller at first, measures, and hands what is left of the same feed to the crew
      # of the strategy that is chosen.
      #
      # @api private
      class Crew
        # @param desk [Traversal]
        # @param call [Auto]
        # @param probe [Probe]
        def initialize(desk, call, probe)
          @desk = desk
          @call = call
          @probe = probe
          @here = call.seats_on(:inline).call
          @watched = WatchedSeat.new(@here, self)
          @crews = []
        end

        # @return [Integer] how many drivers there are to wait for
        def size = @crews.sum(&:size)

        # Run the block, and leave nothing of any crew behind.
        def open(&)
          ThreadTime.watch { in_place(&) }
          @call.stay(@probe) if @crews.empty?
        ensure
          unless @crews.empty?
            Raffia.shield { @crews.each { |crew| crew.stop if crew.respond_to?(:stop) } }
          end
        end

        # @return [void]
        def start(_count)
          Driver.serve(@desk, @watched)
          start_crew unless @crews.empty?
        end

        # @return [void]
        def grow(feed)
          move(instead) if failed?
          return Driver.serve(@desk, @watched, wait: false) if @crews.empty?

          @ramp ? @ramp.grow(@crews.last, feed) : @crews.last.grow(feed)
        end

        # @return [void]
        def join
          return finish_here if size.zero?

          @crews.each(&:join)
          # What came back to be tried again after the workers had been told to go.
          return finish_here if @ramp&.over?
          return unless failed?

          (instead.measurement.left == 0) ? finish_here : go_on
        end

        # Whether the next chunk is worked on here.
        def open?
          return false unless @crews.empty?

          consider if @probe.due? && @call.worthwhile?(@probe)
          @crews.empty?
        end

        # A chunk is worked on here.
        def watch(&) = @probe.measure(&)

        private

        # Under a scheduler that runs already, fibers are started in the caller's own scope.
        def in_place
          return yield unless ::Fiber.current_scheduler

          @fibers = FiberCrew.new(@desk, @call.most_fibers) { @call.fiber_seat(@trial) }
          @fibers.open { yield }
        end

        # What came back to be tried again after the last item was handed in.
        def finish_here = Driver.serve(@desk, @here)

        def go_on
          move(instead)
          start_crew
          @desk.await(@crews.last)
        end

        def start_crew
          @ramp ? @ramp.start(@desk, @crews.last, @here) : @crews.last.start(@choice.workers)
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
          @crews << crew(choice)
          @desk.share(choice.workers)
        end

        def crew(choice)
          @ramp = (@call.ramp(choice) if choice.on == :processes)
          return @call.crew_for(choice, @desk, @ramp) unless choice.on == :fibers

          @call.aim(:fibers)
          @trial = Trial.new(choice.measurement.total)
          @fibers || Annex.new(@desk, choice.workers) { @call.fiber_seat(@trial) }
        end
      end
    end
  end
end
