# frozen_string_literal: true

require_relative "context_switcher"
require_relative "run_queue"

module Raffia
  module Simulation
    # Operations of a simulated thread when it waits, passes, or comes to a point at which it may be
    # preempted.
    #
    # @api private
    class ThreadScheduler
      attr_reader :switcher
      # Whether the simulation's own code runs, where no thread may be preempted.
      attr_reader :busy

      # +preemption+: finds the points of the program where threads may be preempted; nil: nowhere.
      def initialize(world, timers, preemption)
        @world = world
        @timers = timers
        @preemption = preemption
        @clock = world.clock
        @decisions = world.decisions
        @faults = world.faults
        @trace = world.trace
        @queue = RunQueue.new(world, timers)
        @switcher = ContextSwitcher.new(world, @queue)
        @busy = @uninterrupted = @preemptive = false
      end

      # Choices so far.
      def steps = @queue.steps

      # Runs the main thread, and all that it starts.
      def run(thread)
        preempt_from_now_on if @faults.pauses?
        @switcher.run(thread)
      end

      # Adds a thread that has been started.
      def add(thread)
        @queue.add(thread)
        preempt_from_now_on unless @preemptive
      end

      # Suspends the running thread until it is woken: :woken, :timeout, or :interrupted when there
      # is nothing to raise any more.
      def suspend(reason, subject = nil, limit = nil)
        @switcher.reject_wait
        @busy = true
        thread = @switcher.running
        interruptible = !(thread.relocking && reason == :block)
        @faults.wait(thread, reason) if interruptible
        thread.interrupts.deliver(true) if interruptible
        thread.begin_wait(reason, subject, limit, @clock.now).interruptible = interruptible
        timer = @timers.add_timeout(limit, thread) if limit
        @world.note(:wait, thread) if @trace
        @switcher.switch
        result = thread.wait.result
        thread.timed_out = result == :timeout if reason == :sleep
        # Not after a wake-up: Mutex#unlock wakes one thread only, and that would be lost.
        thread.interrupts.deliver(true) if result == :interrupted
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
        @world.note(:wake, thread) if @trace
        true
      end

      # Lets others run first, if any can.
      def pass
        @switcher.reject_wait
        @busy = true
        @decisions.lower(thread = @switcher.running)
        @queue.count_turn unless @queue.any?
        @queue.add(thread)
        @switcher.switch
        thread.interrupts.deliver(false)
      ensure
        @busy = false
      end

      # A point at which another thread may run. The running one stays ready.
      def preempt
        @switcher.reject_wait
        @busy = true
        thread = @switcher.running
        @switcher.switch(thread) if @queue.any? || @faults.pauses?
        thread.interrupts.deliver(false)
      ensure
        @busy = false
      end

      # Whether anything could happen at a preemption point now.
      def preemptible?
        @preemptive && !@uninterrupted && (thread = @switcher.running) &&
          (@queue.any? || thread.interrupts.any? || @faults.pauses?)
      end

      # Runs the block without preemption and faults.
      def uninterrupted
        before = @uninterrupted
        @uninterrupted = true
        yield
      ensure
        @uninterrupted = before
      end

      def uninterrupted? = @uninterrupted

      # Index of the completion of a Fiber scheduler that goes next.
      def choose_completion(operations)
        @queue.count_step
        @queue.fair? ? 0 : @world.choose(operations.size)
      end

      # Time went on, or a thread ended.
      def progress = @queue.progress

      # The program's code begins, in a new thread.
      def enter = @busy = false

      # The program's code in a thread has ended.
      def ended(thread)
        @busy = true
        progress
        @world.note(:end, thread)
        @world.stop(thread.error) if thread.error && thread.abort_on_exception
      end

      # Removes a thread without running any more of it.
      def abandon(thread)
        @queue.remove(thread)
        @timers.abandon(thread)
        thread.execution.abandon
        @switcher.switch if thread.equal?(@switcher.running)
      end

      private

      def preempt_from_now_on
        @preemptive = !@preemption.nil?
        @preemption&.start(@switcher.running&.fibers.to_a)
      end
    end
  end
end
