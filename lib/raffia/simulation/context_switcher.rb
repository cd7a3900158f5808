# frozen_string_literal: true

require_relative "run_queue"

module Raffia
  module Simulation
    # Gives the real thread to one simulated thread at a time: it transfers to the fiber of the one
    # that the {RunQueue} chooses. The fiber that called {#run} gets control only when a fiber has
    # ended.
    #
    # @api private
    class ContextSwitcher
      # `running`: the thread that runs, nil before and after the run. `loop_fiber`: the fiber that
      # called {#run}.
      attr_reader :running, :loop_fiber
      # Conditions that must hold at each switch, and variables of the hosts; nil for none.
      attr_writer :invariants, :host_variables

      # +queue+: the threads that can run.
      def initialize(world, queue)
        @world = world
        @queue = queue
        @faults = world.faults
        @time = world.time
        @trace = world.trace
        @running = @loop_fiber = @invariants = @host_variables = nil
        @over = @closed = false
      end

      # Runs the first thread, until it has ended and nothing can run any more without time going
      # on.
      def run(thread)
        @loop_fiber = ::Fiber.current
        continue(thread)
        run_ended_fibers until @over
      end

      # Gives up the real thread until the running simulated one is chosen. +current+: that one, if
      # it can go on.
      def switch(current = nil)
        running = @running
        @invariants&.check
        @time.pause if @faults.pauses?
        running.fiber = ::Fiber.current
        chosen = next_thread(current) || leave
        @queue.add(current) if current && !chosen.equal?(current)
        return if chosen.equal?(running)

        @world.note(current ? :preempt : :switch, chosen) if @trace
        @host_variables&.enter(chosen.host)
        @running = chosen
        chosen.fiber.transfer
        reject_wait
      end

      # Makes it the running thread; nil for none.
      def running=(thread)
        @host_variables&.enter(thread&.host)
        @running = thread
      end

      # Ends the run at its next switch. Any real thread may call it.
      def stop = @over = true

      # Ends the run now: the running fiber does not go on.
      def abort
        stop
        @loop_fiber.transfer unless @loop_fiber.nil? || @loop_fiber.equal?(::Fiber.current)
      end

      # Each wait ends its fiber from now on.
      def close = @over = @closed = true

      def closed? = @closed

      # Called before a wait: there may be none in an invariant, and after {#close}.
      def reject_wait
        Scheduler::Teardown.kill_current if @closed
        @invariants&.reject_wait
      end

      private

      # Nil when the run is over.
      def next_thread(current = nil)
        until @over
          chosen = @queue.take(current)
          return chosen if chosen
        end
      end

      # A fiber of the world may not go on: the run is over.
      def leave
        @loop_fiber.transfer
        reject_wait
      end

      # Ruby switches to the real thread's first fiber when a fiber ends that was transferred to;
      # here that is the one of the loop.
      def run_ended_fibers
        return @running.main_fiber.transfer if @running.alive?

        continue(next_thread) unless @over
      end

      def continue(thread)
        return if @over || thread.nil?

        @world.note(:switch, thread)
        self.running = thread
        thread.fiber.transfer
      end
    end
  end
end
