# frozen_string_literal: true

require_relative "base"
require_relative "engine"
require_relative "scheduler/wait"
require_relative "scheduler/start"
require_relative "scheduler/switch"
require_relative "scheduler/block"
require_relative "scheduler/notice"
require_relative "scheduler/interrupt"
require_relative "scheduler/readiness"
require_relative "scheduler/transfer"
require_relative "scheduler/process_wait"
require_relative "scheduler/errand"
require_relative "scheduler/offload"

module Raffia
  # A Fiber scheduler over Raffia's engine: it lets blocking calls of core (IO, sleep, Mutex, Queue, Thread#join, Process.wait,
  # DNS) wait in their fiber only, while others run. Core calls its hooks; see Fiber::Scheduler in Ruby's documentation for what
  # each of them has to do. Raffia.run sets one up, so few programs need it by name:
  #
  #   Fiber.set_scheduler(Raffia::Scheduler.new)
  #   Fiber.schedule { ... }
  #
  # It belongs to the thread that uses it first. Fibers go from one straight to the next (by transfer); the fiber in {#run} polls
  # the engine when none is ready. I/O is polled at least every {TURN} switches, so a ready queue that is never empty cannot starve it.
  #
  # After a fork the child is without a scheduler, and what it does in fibers blocks; it may set a new one.
  class Scheduler
    CLOSED = "the scheduler is closed: set a new one with Fiber.set_scheduler"
    private_constant :CLOSED

    include Switch
    include Block
    include Interrupt
    include Readiness
    include Transfer
    include ProcessWait
    include Offload

    # @param backend [Symbol, String, nil] :uring, :epoll, :kqueue, :poll, :select; nil: what RAFFIA_BACKEND says, else the best that works
    # @param offload [#call, nil] takes a block, runs it on another thread while the calling fiber waits, and returns its value.
    #   Without one, DNS lookups and blocking C calls block the thread
    # @raise [ConfigError] when there is no such back end, or it does not work here
    def initialize(backend: nil, offload: nil)
      @backend = Engine.choose(backend)
      @offload = offload
      @main = Fiber.current
      @closed = false
      init_switch
      init_block
      init_interrupt
    end

    # @return [Symbol] the engine's back end
    attr_reader :backend

    # Run until no fiber waits any more. The calling fiber is the one that sleeps in the kernel meanwhile, so interrupts of the
    # thread (a signal, Thread#raise) that come then are raised by this method. It may be called again.
    #
    # @return [void]
    # @raise [Exception] what escaped from a fiber
    # @raise [Closed] when the scheduler is closed
    def run
      raise Closed, CLOSED if @closed

      check_thread
      as_runner { switch until over? }
      nil
    end

    # Hook of core for the end of the scheduler: of its thread, or by Fiber.set_scheduler(nil). Runs what is left; in a thread that is
    # being killed, only the `ensure` blocks of what is left.
    # @return [void]
    def scheduler_close
      return if @closed
      return release unless @thread.nil? || @thread.alive?

      begin
        (Thread.current.status == "aborting") ? run_clean_up : run
      ensure
        release unless @thread && !@thread.equal?(Thread.current)
      end
    end

    # Run what is left, then give everything back.
    # @return [void]
    def close
      return if @closed
      # Core lets go of it first, and then calls scheduler_close.
      return Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)

      scheduler_close
    end

    # Give everything back at once. The fibers that still wait are left where they are: not even their `ensure` runs.
    # @return [void]
    # @raise [Error] in another thread than its own
    def terminate
      check_thread
      release unless @closed
      Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)
    end

    # @return [Boolean]
    def closed? = @closed

    # @return [Hash] counters: parked:, switches:, and those of the engine
    def stats
      {backend: @backend, parked: @parked.size, switches: @switches, **(@closed ? {} : @engine&.stats.to_h)}
    end

    # @return [String]
    def inspect = "#<#{self.class} #{@backend} parked=#{@parked.size}#{" closed" if @closed}>"

    private

    # The engine is opened by the thread that uses it: io_uring insists, and a scheduler may be made in another thread.
    def engine
      @engine || attach
    end

    def attach
      raise Closed, CLOSED if @closed

      engine = Engine.open(@backend)
      @thread = Thread.current
      @fork = Fork.after_child { disown }
      @engine = engine
    end

    def check_thread
      return if @thread.nil? || @thread.equal?(Thread.current) || !@thread.alive?

      raise Error, "a scheduler works in one thread only, which is #{@thread.inspect} here: stop its work from there, or end that thread"
    end

    def release
      @closed = true
      @fork&.remove
      @engine&.close
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

    # In a forked child. The loop, and the fibers that wait in it, are the parent's. The fiber that forked goes on here, as the first
    # fiber of its thread, and what it calls must find no scheduler.
    def disown
      release
      Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(self)
    end

    # A time to wait, as Kernel#sleep takes it: any number, and what can be divided like one.
    def interval(time)
      raise TypeError, "can't convert #{time.class} into time interval" unless time.respond_to?(:divmod)

      seconds = time.is_a?(Numeric) ? time : time.divmod(1).sum
      raise ArgumentError, "time interval must not be negative" if seconds.negative?

      seconds
    end

    # Tell the loop, from any thread.
    def deliver(completion, result)
      engine = @engine or return

      @thread.equal?(Thread.current) ? engine.push(completion, result) : engine.inject(completion, result)
    end
  end
end
