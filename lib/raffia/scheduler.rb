# frozen_string_literal: true

require_relative "base"
require_relative "engine"
require_relative "scheduler/interrupts"
require_relative "scheduler/hooks"
require_relative "scheduler/file_io"
require_relative "scheduler/offload"
require_relative "scheduler/core_methods"
require_relative "scheduler/fiber_limit"
require_relative "scheduler/inspection"
require_relative "scheduler/deadlock_check"
require_relative "scheduler/lifecycle"

module Raffia
  # A Fiber scheduler over Raffia's engine: blocking calls of core (IO, sleep, Mutex, Queue,
  # Thread#join, Process.wait, DNS) wait in their fiber only, while others run. Raffia.run sets one
  # up; by hand:
  #
  #   Fiber.set_scheduler(Raffia::Scheduler.new)
  #   Fiber.schedule { ... }
  #
  # It belongs to the thread that uses it first. Fibers switch straight to the next one (by
  # transfer); the fiber in {#run} polls the engine when none is ready. I/O is polled at least every
  # {TURN} switches, so a ready queue that is never empty cannot starve it.
  #
  # The hooks of every wait are {Native}'s, in C, or {Portable}'s for the `select` engine. Rarer
  # hooks are in Ruby for both. A forked child has no scheduler; it may set a new one.
  class Scheduler
    # Switches between two polls of I/O.
    TURN = 64

    # On require: a class must not change while other Ractors call its methods.
    Fork.install
    CoreMethods.install

    include Hooks
    include FileIO
    include Lifecycle

    class << self
      # @return [Array<Scheduler>] the open ones of the running Ractor, in all of its threads
      def all = open_schedulers.keys

      # Single C calls change it, which the GVL makes atomic.
      # @api private
      def open_schedulers = RactorLocal.fetch(:raffia_schedulers) { {}.compare_by_identity }

      # Seconds to wait, as Kernel#sleep takes them: any number, and what can be divided like one.
      # @api private
      def interval(time)
        unless time.respond_to?(:divmod)
          raise TypeError, "can't convert #{time.class} into time interval"
        end

        seconds = time.is_a?(Numeric) ? time : time.divmod(1).sum
        raise ArgumentError, "time interval must not be negative" if seconds.negative?

        seconds
      end

      # @param backend [Symbol, String, nil] :uring, :epoll, :kqueue, :poll, :select; nil: the one
      #   of RAFFIA_BACKEND, else the best that works
      # @param options [Hash] as {#initialize} takes them
      # @return [Native, Portable]
      # @raise [ConfigError] when there is no such back end, or it does not work here
      def new(backend: nil, **options)
        name = Engine.choose(backend)
        return super(backend: name, **options) unless equal?(Scheduler)

        kind = (name == :select) ? Scheduler::Portable : Scheduler::Native
        kind.new(backend: name, **options)
      end
    end

    # @param backend [Symbol]
    # @param offload [#call, nil] takes a block, runs it on another thread while the calling fiber
    #   waits, and returns its value. Without one, {#offloaded} blocks the thread
    # @param blocking [#call, nil] the same for core's own blocking calls, such as opening a file,
    #   which must not wait behind users' calls
    # @param operations [#call, nil] takes the kind of a blocking operation of core's (:files,
    #   :compute, :waiting), and returns the {Executor::Threads::OperationPool} that runs it.
    #   Without one, `blocking` does
    # @param deadlock [#call, nil] takes the {Parked} fibers when only a signal could let any of
    #   them resume; it may interrupt some, and returns whether to check again
    # @param recycle [Boolean] whether fibers that no caller has are reused after their block
    def initialize(backend:, offload: nil, blocking: offload, operations: nil, deadlock: nil,
      recycle: true)
      @backend = backend
      @policy = Engine.operation_policy
      @offload = Offload.new(self, offload, blocking, operations, @policy)
      @interrupts = Interrupts.new(self)
      @fiber_limit = FiberLimit.new(self)
      prepare(TURN, recycle)
      @deadlock_check = DeadlockCheck.new(self, deadlock)
    end

    # @return [Symbol] the engine's back end
    attr_reader :backend

    # @api private
    attr_reader :offload

    # Any thread of the Ractor may call it, and a trap handler.
    # @return [Array<Parked>] every fiber that waits, the longest waits first
    # @param frames [Integer, nil] how long each backtrace may be; nil: no bound
    def parked(frames: nil) = closed? ? [] : Inspection.new(self, frames).parked

    # @!method thread
    #   @return [Thread, nil] to which it belongs; nil before it has been used

    # @return [Hash] parked:, switches:, turns:, longest_turn: and others of its own, and those of
    #   the engine; see docs/tuning.md
    def stats
      figures = {backend: @backend, **counts, **(closed? ? {} : open_engine&.stats.to_h)}
      {**figures, operations: @policy&.stats.to_h,
                  blocking: {**figures[:blocking].to_h, ruby: @offload.stats}}
    end

    # @return [String]
    def inspect
      "#<Raffia::Scheduler #{@backend} parked=#{counts[:parked]}#{" closed" if closed?}>"
    end

    # The thread that uses the engine opens it, because io_uring insists.
    # @api private
    def engine = open_engine || attach

    # Seconds to wait, as {Scheduler.interval}.
    # @api private
    def interval(time) = Scheduler.interval(time)

    private

    # Without a runner, the main fiber has started or resumed this one by itself (by Fiber#raise,
    # for example), and will call `run` later.
    def switch_to_main(main)
      return false if main.equal?(Fiber.current)

      main.transfer
      true
    rescue FiberError => error
      # It is resuming us, or is another thread's. An error of another line is raised again.
      raise unless error.backtrace&.first&.start_with?(__FILE__)
      false
    end
  end
end

Raffia::Scheduler.all # in the main Ractor now, before threads could race for it
require_relative "scheduler/portable"
