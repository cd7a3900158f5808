# frozen_string_literal: true

require_relative "base"
require_relative "engine"
require_relative "scheduler/notice"
require_relative "scheduler/interrupt"
require_relative "scheduler/io_select"
require_relative "scheduler/transfer"
require_relative "scheduler/process_wait"
require_relative "scheduler/errand"
require_relative "scheduler/offload"
require_relative "scheduler/copy_stream"
require_relative "scheduler/file_lock"
require_relative "scheduler/core_methods"
require_relative "scheduler/room"
require_relative "scheduler/inspection"
require_relative "scheduler/deadlock_watch"
require_relative "scheduler/teardown"

module Raffia
  # A Fiber scheduler over Raffia's engine: it lets blocking calls of core (IO, sleep, Mutex, Queue,
  # Thread#join, Process.wait, DNS) wait in their fiber only, while others run. Core calls its
  # hooks; see Fiber::Scheduler in Ruby's documentation for what each of them has to do. Raffia.run
  # sets one up, so few programs need it by name:
  #
  #   Fiber.set_scheduler(Raffia::Scheduler.new)
  #   Fiber.schedule { ... }
  #
  # It belongs to the thread that uses it first. Fibers go from one straight to the next (by
  # transfer); the fiber in {#run} polls the engine when none is ready. I/O is polled at least every
  # {TURN} switches, so a ready queue that is never empty cannot starve it.
  #
  # The hooks that every wait goes through are {Native}'s, in C. {Portable} has the same ones in
  # Ruby, for the `select` engine. What is called less often is here, for both.
  #
  # After a fork the child is without a scheduler, and what it does in fibers blocks; it may set a
  # new one.
  class Scheduler
    # Switches between two looks at I/O.
    TURN = 64
    CLOSED = "the scheduler is closed: set a new one with Fiber.set_scheduler"
    private_constant :CLOSED

    # Each scheduler registers itself there.
    Fork.install
    CoreMethods.install

    include Interrupt
    include IOSelect
    include Transfer
    include ProcessWait
    include Offload
    include CopyStream
    include FileLock
    include Room
    include Inspection
    include DeadlockWatch
    include Teardown

    class << self
      # @return [Array<Scheduler>] those of the running Ractor that are at work, in all of its
      #   threads
      def all = Inspection.registry.keys

      # @param backend [Symbol, String, nil] :uring, :epoll, :kqueue, :poll, :select; nil: what
      #   RAFFIA_BACKEND says, else the best that works
      # @param options [Hash] as {#initialize} takes them
      # @return [Native, Portable]
      # @raise [ConfigError] when there is no such back end, or it does not work here
      def new(backend: nil, **options)
        name = Engine.choose(backend)
        if equal?(Scheduler)
          kind(name).new(backend: name, **options)
        else
          super(backend: name, **options)
        end
      end

      private

      def kind(backend) = (backend == :select) ? Scheduler::Portable : Scheduler::Native
    end

    # @param backend [Symbol]
    # @param offload [#call, nil] takes a block, runs it on another thread while the calling fiber
    #   waits, and returns its value. Without one, {#offloaded} blocks the thread
    # @param blocking [#call, nil] the same for core's own blocking calls, such as opening a file,
    #   which must not wait behind users' calls
    # @param operations [#call, nil] is given the kind of a blocking operation of core's (:files,
    #   :compute, :waiting), and returns the {Executor::Threads::OperationPool} that run it. Without one,
    #   `blocking` does
    # @param deadlock [#call, nil] is given the {Parked} fibers when nothing but a signal could ever
    #   let any of them go on; it may interrupt some, and says whether to go on looking
    # @param recycle [Boolean] whether fibers that nobody was given are used again when their block
    #   has ended
    def initialize(backend:, offload: nil, blocking: offload, operations: nil, deadlock: nil,
      recycle: true)
      @backend = backend
      @offload = offload
      @blocking = blocking
      @operations = operations
      @policy = Engine.operation_policy
      init_interrupt
      prepare(TURN, recycle)
      init_deadlock_watch(deadlock)
    end

    # @return [Symbol] the engine's back end
    attr_reader :backend

    # Run until no fiber waits any more. The calling fiber is the one that sleeps in the kernel
    # meanwhile, so interrupts of the thread (a signal, Thread#raise) that come then are raised by
    # this method. It may be called again.
    #
    # @return [void]
    # @raise [Exception] what escaped from a fiber
    # @raise [Closed] when the scheduler is closed
    def run
      raise_closed if closed?
      check_thread
      run_until_over
      nil
    end

    # Hook of core for the end of the scheduler: of its thread, or by Fiber.set_scheduler(nil). Runs
    # what is left; in a thread that is being killed, only the `ensure` blocks of what is left.
    # @return [void]
    def scheduler_close
      return if closed?
      return release unless thread.nil? || thread.alive?

      begin
        (Thread.current.status == "aborting") ? run_clean_up : run
      ensure
        close_down if !closed? && [nil, Thread.current].include?(thread)
      end
    end

    # Run what is left, then give everything back.
    # @return [void]
    def close
      return if closed?
      # Core lets go of it first, and then calls scheduler_close.
      return Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)

      scheduler_close
    end

    # Give everything back at once. The fibers that still wait are left where they are: not even
    # their `ensure` runs. But those that wait for core's Mutex, Queue, ConditionVariable or Thread
    # are killed (see {Teardown}), and an `ensure` of theirs ends at its first wait.
    # @return [void]
    # @raise [Error] in another thread than its own
    def terminate
      check_thread
      close_down unless closed?
      Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)
    end

    # @return [Hash] what docs/tuning.md explains: parked:, switches:, turns:, longest_turn: and
    #   others of its own, and those of the engine
    def stats
      figures = {backend: @backend, **counts, **(closed? ? {} : open_engine&.stats.to_h)}
      {**figures, operations: @policy&.stats.to_h,
                  blocking: {**figures[:blocking].to_h, ruby: thread_stats}}
    end

    # @return [String]
    def inspect
      "#<Raffia::Scheduler #{@backend} parked=#{counts[:parked]}#{" closed" if closed?}>"
    end

    private

    # The engine is opened by the thread that uses it: io_uring insists, and a scheduler may be made
    # in another thread.
    def engine = open_engine || attach

    def attach
      raise_closed if closed?

      engine = Engine.open(@backend)
      @fork = Fork.after_child { disown }
      self.engine = engine
      Inspection.registry[self] = true
      engine
    end

    def raise_closed = raise(Closed, CLOSED)

    def check_thread
      return if thread.nil? || thread.equal?(Thread.current) || !thread.alive?

      raise Error, "a scheduler works in one thread only, which is #{thread.inspect} here: stop " \
        "its work from there, or end that thread"
    end

    # In its own thread.
    def close_down
      kill_blocked_fibers
    ensure
      release
    end

    def release
      mark_closed
      Inspection.registry.delete(self)
      @fork&.remove
      @operations.abandon(self) if @operations.respond_to?(:abandon)
      open_engine&.close
    end

    # Until no fiber waits any more, of those that are told to stop.
    def run_clean_up
      stop = Cancel.new("the thread is being killed")
      interrupt_all(stop)
      begin
        run
      rescue Cancel => error
        error.equal?(stop) ? retry : raise
      end
    end

    # In a forked child. The loop, and the fibers that wait in it, are the parent's. The fiber that
    # forked goes on here, as the first fiber of its thread, and what it calls must find no
    # scheduler.
    def disown
      release
      Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)
    end

    # Without a runner the main fiber has started or resumed us by hand (Fiber#raise, for one), and
    # will call `run` later.
    def switch_to_main(main)
      return false if main.equal?(Fiber.current)

      main.transfer
      true
    rescue FiberError => error
      # It is resuming us, or is another thread's. An error of this kind that is not of our own
      # making has another place of birth.
      raise unless error.backtrace&.first&.start_with?(__FILE__)
      false
    end

    # A time to wait, as Kernel#sleep takes it: any number, and what can be divided like one.
    def interval(time)
      unless time.respond_to?(:divmod)
        raise TypeError, "can't convert #{time.class} into time interval"
      end

      seconds = time.is_a?(Numeric) ? time : time.divmod(1).sum
      raise ArgumentError, "time interval must not be negative" if seconds.negative?

      seconds
    end

    def io_timed_out(limit)
      # Ruby 3.4 makes IO::TimeoutError of `false` itself; what 3.3 makes of it is Errno::EAGAIN.
      return false if RUBY_VERSION >= "3.4"

      raise IO::TimeoutError, "not ready within the #{limit} s of IO#timeout"
    end
  end
end

require_relative "scheduler/portable"
