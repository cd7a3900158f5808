# frozen_string_literal: true

require_relative "boundary"
require_relative "conditions"
require_relative "decisions"
require_relative "fault"
require_relative "fiber_scheduler"
require_relative "fiber_waits"
require_relative "host_variables"
require_relative "interest"
require_relative "invariants"
require_relative "network"
require_relative "settings"
require_relative "simulated_thread"
require_relative "teardown"
require_relative "thread_scheduler"
require_relative "time_advance"
require_relative "timers"
require_relative "virtual_clock"

module Raffia
  module Simulation
    # One simulated run: threads that are fibers, a clock, timers, and the choices between them. All
    # of it happens in one real thread.
    #
    # @api private
    class World
      MAIN = "main"

      class << self
        # The world of this process, nil when none runs.
        attr_reader :active

        # Nil when the run is over.
        def activate(world) = @active = world # rubocop:disable ThreadSafety/ClassInstanceVariable

        # The world that the calling code runs in, nil outside.
        def current
          world = @active # rubocop:disable ThreadSafety/ClassInstanceVariable
          world if world&.inside?
        end
      end

      # `thread_scheduler`: runs one thread at a time.
      attr_reader :seed, :settings, :clock, :threads, :interest, :decisions, :boundary,
        :thread_scheduler, :fiber_waits, :time, :failure, :trace, :faults, :teardown, :warnings

      # +trace+: takes events for the timeline.
      def initialize(settings, decisions, seed:, real_thread:, trace: nil, preemption: nil)
        @settings = settings
        @decisions = decisions
        @seed = seed
        @real_thread = real_thread
        @trace = trace
        @clock = VirtualClock.new(settings.start)
        @timers = Timers.new(@clock)
        @interest = Interest.new(self)
        @time = TimeAdvance.new(self, @timers)
        @boundary = Boundary.new(settings)
        @threads = []
        @warnings = []
        @teardown = Teardown.new(self)
        @failure = nil
        @inside = false
        decisions.on_divergence { |error| fail(error) }
        @faults = Fault::Injector.new(self, settings)
        @thread_scheduler = ThreadScheduler.new(self, @timers, preemption)
        @switcher = @thread_scheduler.switcher
        @fiber_waits = FiberWaits.new(self)
        @faults.draw
      end

      # The thread that runs, nil before and after the run.
      def running = @switcher.running

      # The fiber that called {#run}; nil before.
      def loop_fiber = @switcher.loop_fiber

      def main_thread = @threads.first

      def closing? = @switcher.closed?

      def conditions = @conditions ||= Conditions.new(self)

      # The world's own part of {RactorLocal}.
      def ractor_locals = @ractor_locals ||= {}

      # Conditions that must hold at each choice.
      def invariants
        @invariants ||= Invariants.new(self).tap { |invariants| @switcher.invariants = invariants }
      end

      # Variables of which each host has its own.
      def host_variables
        @host_variables ||= HostVariables.new.tap { |all| @switcher.host_variables = all }
      end

      # Hosts and their sockets.
      def network
        @network ||= Network.new(self).tap { |network| @time.pollers << network }
      end

      # Nanoseconds by which the wall clock of the running thread's host is wrong.
      def clock_offset = (running.host || @network&.home)&.clock_offset || 0

      # Nanoseconds since 1970, as the running thread's host has it.
      def wall_clock = @clock.real + clock_offset

      # Source of what programs draw at random: SecureRandom, Random.new.
      def random = @random ||= ::Random.new(@seed)

      # Whether the calling code is simulated by this world.
      def inside? = @inside && @real_thread.equal?(::Thread.real_current)

      # Runs the block outside of the simulation: it uses the real clock, threads and sockets, and
      # holds up the world meanwhile.
      def outside(&)
        before = @inside
        @inside = false
        @thread_scheduler.uninterrupted { @clock.uninstalled { ::Fiber.real_blocking(&) } }
      ensure
        @inside = before
      end

      # Runs the block in the main thread of the world, until that has ended and nothing can run any
      # more without time going on. Returns the main thread.
      def run(&)
        main = add(MAIN, [], &)
        @inside = true
        @thread_scheduler.run(main)
        @invariants&.check
        main
      ensure
        close
      end

      # Starts a simulated thread; the starter goes on.
      def start(arguments, daemon: false, name: nil, host: running.host, &)
        thread = add(running.next_path, arguments, daemon: daemon || !host.nil?, &)
        thread.name = name
        thread.host = host
        @thread_scheduler.add(thread)
        note(:start, thread)
        thread
      end

      # Calls the block after some seconds. Returns a Timer.
      def after(seconds, label = nil, &) = @timers.add(seconds, label, &)

      # A point at which the caller of a replaced method may be preempted, as where one in C
      # returns.
      def returned
        @thread_scheduler.preempt if @thread_scheduler.preemptible?
      end

      # A value that the run chooses, below the count.
      def choose(count) = @decisions.choose(count, @clock.now)

      # Ends the run at its next switch. Any real thread may call it.
      def stop(error)
        @failure ||= error
        @switcher.stop
      end

      # The main thread has ended, and nothing else can run.
      def finish = @switcher.stop

      # Ends the run.
      def fail(error)
        @failure ||= error
        @switcher.abort
      end

      # Adds an event to the trace: see {Trace}. +subject+: the thread, or the name of a fiber.
      def note(event, subject = nil, text = nil) = @trace&.add(event, subject, self, text)

      # Removes a thread without running any more of it during the run, not even its `ensure`. That
      # runs after the end: Ruby crashes when it collects a fiber that holds a Mutex.
      def abandon(thread)
        @teardown.abandoned << thread
        @thread_scheduler.abandon(thread)
      end

      private

      def add(path, arguments, **options, &)
        @switcher.reject_wait
        SimulatedThread.new(self, path, arguments, **options, &).tap { |thread| @threads << thread }
      end

      def close
        @switcher.close
        @failure ||= @boundary.violation
        @warnings.concat(@conditions.warnings) if @conditions && !@settings.ignore?(:lost_wakeups)
        @teardown.call { |thread| @switcher.running = thread }
        @network&.close
        @switcher.running = nil
        @inside = false
      end
    end
  end
end
