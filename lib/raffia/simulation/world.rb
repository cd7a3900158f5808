# frozen_string_literal: true

require_relative "boundary"
require_relative "conditions"
require_relative "decisions"
require_relative "fault"
require_relative "fiber_scheduler"
require_relative "fiber_waits"
require_relative "interest"
require_relative "invariants"
require_relative "network"
require_relative "run_queue"
require_relative "settings"
require_relative "simulated_thread"
require_relative "teardown"
require_relative "time_advance"
require_relative "timers"
require_relative "virtual_clock"

module Raffia
  module Simulation
    # One simulated run: threads that are fibers, a clock, timers, and the choices between them.
    #
    # All of it happens in one real thread. A simulated thread that waits, passes or is preempted
    # calls {#switch}, which chooses the next one and transfers to it. The fiber that called {#run}
    # gets control only when a fiber has ended.
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

      attr_reader :loop_fiber, :seed, :settings, :clock, :threads, :interest, :decisions, :boundary,
        :fiber_waits, :time, :running, :failure, :trace, :faults, :teardown, :warnings

      # Whether the simulation's own code runs, where no thread may be preempted.
      attr_reader :busy

      # +trace+: takes events for the timeline.
      def initialize(settings, decisions, seed:, real_thread:, trace: nil, preemption: nil)
        @settings = settings
        @decisions = decisions
        @seed = seed
        @real_thread = real_thread
        @trace = trace
        @preemption = preemption
        @clock = VirtualClock.new(settings.start)
        @timers = Timers.new(@clock)
        @queue = RunQueue.new(self, @timers)
        @interest = Interest.new
        @time = TimeAdvance.new(self, @timers)
        @fiber_waits = FiberWaits.new(self)
        @boundary = Boundary.new(settings)
        @threads = []
        @warnings = []
        @teardown = Teardown.new(self)
        @running = @failure = nil
        @closing = @over = @real = @uninterrupted = @busy = @preemptive = false
        decisions.on_divergence { |error| fail(error) }
        @faults = Fault::Injector.new(self, settings)
      end

      def steps = @queue.steps

      def closing? = @closing

      def conditions = @conditions ||= Conditions.new(self)

      # The world's own part of {RactorLocal}.
      def ractor_locals = @ractor_locals ||= {}

      # Conditions that must hold at each choice.
      def invariants = @invariants ||= Invariants.new(self)

      def main_thread = @threads.first

      # Hosts and their sockets.
      def network
        @network ||= Network.new(self).tap { |network| @time.pollers << network }
      end

      # Nanoseconds by which the wall clock of the running thread's host is wrong.
      def clock_offset = (@running.host || @network&.home)&.clock_offset || 0

      # Nanoseconds since 1970, as the running thread's host has it.
      def wall_clock = @clock.real + clock_offset

      # Source of what programs draw at random: SecureRandom, Random.new.
      def random = @random ||= ::Random.new(@seed)

      # Whether the calling code is simulated by this world.
      def inside? = @running && !@real && @real_thread.equal?(::Thread.real_current)

      # Runs the block outside of the simulation: it uses the real clock, threads and sockets, and
      # holds up the world meanwhile.
      def outside(&)
        before = @real
        @real = true
        @clock.uninstalled { ::Fiber.real_blocking(&) }
      ensure
        @real = before
      end

      # Runs the block without preemption.
      def uninterrupted
        before = @uninterrupted
        @uninterrupted = true
        yield
      ensure
        @uninterrupted = before
      end

      # Whether the running code may be neither preempted nor meet faults.
      def undisturbed? = @uninterrupted || @real

      # Whether anything could happen at a preemption point now.
      def preemptible?
        @preemptive && !@uninterrupted && !@real && @running &&
          (@queue.any? || @running.interrupts.any? || @faults.pauses?)
      end

      # Runs the block in the main thread of the world, until that has ended and nothing can run any
      # more without time going on. Returns the main thread.
      def run(&)
        @loop_fiber = ::Fiber.current
        preempt_from_now_on if @faults.pauses?
        continue(add(MAIN, [], &))
        run_ended_fibers until @over
        @invariants&.check
        main_thread
      ensure
        close
      end

      # Starts a simulated thread; the starter goes on.
      def start(arguments, daemon: false, name: nil, host: @running.host, &)
        thread = add(@running.next_path, arguments, daemon: daemon || !host.nil?, &)
        thread.name = name
        thread.host = host
        @queue.add(thread)
        preempt_from_now_on unless @preemptive
        note(:start, thread)
        thread
      end

      # Calls the block after some seconds. Returns a Timer.
      def after(seconds, label = nil, &) = @timers.add(seconds, label, &)

      # Suspends the running thread until it is woken: :woken, :timeout, or :interrupted when there
      # is nothing to raise any more.
      def suspend(reason, subject = nil, limit = nil)
        reject_wait
        @busy = true
        thread = @running
        interruptible = !(thread.relocking && reason == :block)
        @faults.wait(thread, reason) if interruptible
        thread.check_interrupts(true) if interruptible
        thread.begin_wait(reason, subject, limit, @clock.now).interruptible = interruptible
        timer = @timers.add_timeout(limit, self, thread) if limit
        note(:wait, thread) if @trace
        switch
        result = thread.wait.result
        thread.end_wait
        thread.timed_out = result == :timeout if reason == :sleep
        # Not after a wake-up: Mutex#unlock wakes one thread only, and that would be lost.
        thread.check_interrupts(true) if result == :interrupted
        result
      ensure
        thread&.end_wait
        timer&.cancel
        @busy = false
      end

      # Ends the wait of a thread. False when it has been ended before.
      def wake(thread, result)
        return false unless thread.settle(result)

        @queue.add(thread)
        note(:wake, thread) if @trace
        true
      end

      # Lets others run first, if any can.
      def pass
        reject_wait
        @busy = true
        @decisions.lower(@running)
        @queue.count_turn unless @queue.any?
        @queue.add(@running)
        switch
        @running.check_interrupts(false)
      ensure
        @busy = false
      end

      # A point at which another thread may run. The running one stays ready.
      def preempt
        reject_wait
        @busy = true
        switch(@running) if @queue.any? || @faults.pauses?
        @running.check_interrupts(false)
      ensure
        @busy = false
      end

      # A point at which the caller of a replaced method may be preempted, as where one in C returns.
      def returned
        preempt if preemptible?
      end

      # A value that the run chooses, below the count.
      def choose(count) = @decisions.choose(count, @clock.now)

      # Index of the completion of a scheduler that goes next.
      def choose_completion(operations)
        @queue.count_step
        @queue.fair? ? 0 : choose(operations.size)
      end

      # Ends the run at its next switch. Any real thread may call it.
      def stop(error)
        @failure ||= error
        @over = true
      end

      # Ends the run.
      def fail(error)
        stop(error)
        return if @loop_fiber.nil? || @loop_fiber.equal?(::Fiber.current)

        @loop_fiber.transfer
      end

      # The program's code begins, in a new thread.
      def enter = @busy = false

      def ended(thread)
        @busy = true
        progress
        note(:end, thread)
        return unless thread.error && thread.abort_on_exception

        stop(thread.error)
      end

      # Adds an event to the trace: see {Trace}. +subject+: the thread, or the name of a fiber.
      def note(event, subject = nil, text = nil) = @trace&.add(event, subject, self, text)

      # The main thread has ended, and nothing else can run.
      def finish = @over = true

      # Time went on, or a thread ended.
      def progress = @queue.progress

      # Removes a thread without running any more of it during the run, not even its `ensure`. That
      # runs after the end: Ruby crashes when it collects a fiber that holds a Mutex.
      def abandon(thread)
        @teardown.abandoned << thread
        @queue.remove(thread)
        @timers.abandon(thread)
        thread.abandon
        switch if thread.equal?(@running)
      end

      private

      def preempt_from_now_on
        @preemptive = !@preemption.nil?
        @preemption&.start
      end

      def add(path, arguments, **options, &)
        reject_wait
        SimulatedThread.new(self, path, arguments, **options, &).tap { |thread| @threads << thread }
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

        note(current ? :preempt : :switch, chosen) if @trace
        @running = chosen
        chosen.fiber.transfer
        reject_wait
      end

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

      # Ruby switches to the thread's first fiber when a fiber ends that was transferred to; here
      # that is the world's.
      def run_ended_fibers
        return @running.main_fiber.transfer if @running.alive?

        continue(next_thread) unless @over
      end

      def continue(thread)
        return if @over || thread.nil?

        note(:switch, thread)
        @running = thread
        thread.fiber.transfer
      end

      def close
        @over = @closing = true
        @failure ||= @boundary.violation
        @warnings.concat(@conditions.warnings) if @conditions && !@settings.ignore?(:lost_wakeups)
        @teardown.call { |thread| @running = thread }
        @network&.close
        @running = nil
      end

      # While the run is closed, each wait ends its fiber.
      def reject_wait
        Scheduler::Teardown.kill_current if @closing
        @invariants&.reject_wait
      end
    end
  end
end
