# frozen_string_literal: true

require_relative "../../base"
require_relative "../../engine"
require_relative "wait"
require_relative "turns"
require_relative "readiness"
require_relative "transfer"

module Raffia
  # Raffia behind the interfaces of other projects.
  module Integrations
    # A selector for the gem io-event, which Async and Falcon use.
    module IOEvent
      # Raffia's engine with the methods of io-event's selectors. A scheduler such as Async's has
      # the fibers, timers and hooks; the selector switches between its fibers and the loop, and
      # waits for descriptors and processes.
      #
      #   require "raffia/integrations/io_event"
      #   selector = IO::Event::Selector::Raffia.new(Fiber.current)
      #
      # It belongs to the thread and the process that created it. Other threads may call {#push}
      # and {#wakeup} only.
      class Selector
        include Turns
        include Readiness
        include Transfer

        # Schedulers mask interrupts and check for them between two turns, so a pending one must
        # end the sleep. Ruby checks again when a mask opens; this mask lets the interrupt into a
        # blocking `select` of the engine in Ruby, which would go on sleeping.
        AWAKE = {Exception => :on_blocking}.freeze
        private_constant :AWAKE

        # @return [Fiber] calls {#select}
        attr_reader :loop

        # @return [Float] seconds that the last {#select} slept
        attr_reader :idle_duration

        # @param loop [Fiber] usually the running one
        # @param backend [Symbol, String, nil] :uring, :epoll, :poll, :select; nil: RAFFIA_BACKEND,
        #   or the best that works
        # @raise [ConfigError] when the back end is unknown or does not work here
        def initialize(loop, backend: nil)
          @loop = loop
          @idle_duration = 0.0
          @blocked = false
          init_turns
          init_readiness
          @engine = Engine.open(backend)
        end

        # @return [Symbol] the engine's back end
        def backend = @engine.name

        # @return [Hash] the engine's counters
        # @raise [IOError] when it is closed
        def stats = @engine.stats

        # Switches to the loop; does nothing in the loop's fiber.
        # @return [Object, nil] the value that resumes this fiber
        def transfer = @loop.transfer

        # Runs the fibers that are ready, then those whose events have come. Sleeps only when there
        # are none. The loop calls it.
        #
        # @param duration [Numeric, nil] longest sleep in seconds; nil: without a limit
        # @return [Integer] events
        # @raise [IOError] when it is closed
        def select(duration = nil)
          @idle_duration = 0.0
          deliver((take_turns || duration == 0) ? @engine.poll(0) : rest(duration))
        end

        # Ends the sleep of {#select}, or else its next sleep. State that a thread or signal handler
        # has set before this call is therefore noticed at once.
        #
        # @return [Boolean] whether it slept
        def wakeup
          blocked = @blocked
          @engine.wake
          blocked
        end

        # Releases everything, but does not resume waiting fibers. It may be repeated, also in a
        # forked child.
        # @return [void]
        def close
          @engine.close
        end

        # @return [Boolean] true also in a forked child, which cannot use its parent's
        def closed? = @engine.closed?

        # @return [String]
        def inspect = "#<#{self.class} #{backend}#{" closed" if closed?}>"

        private

        def rest(duration)
          @blocked = true # before the check of the turns: threads that add one later wake it
          return @engine.poll(0) unless @turns.empty?

          start = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
          Thread.handle_interrupt(AWAKE) do
            @engine.poll(duration)
          rescue Exception => error # standard:disable Lint/RescueException
            Thread.current.raise(error) # when this mask is closed, if the scheduler's lets it
            0
          end
        ensure
          @blocked = false
          @idle_duration = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) - start if start
        end

        # Delivers no more completions than there were at the start: fibers that are always ready
        # would starve the scheduler's timers.
        #
        # An interrupt may occur where a Ruby method returns or a branch is taken. There is neither
        # between the `shift` and the switch, so no taken completion is lost.
        def deliver(count)
          left = count
          while left > 0 && @engine.peek
            left -= 1
            wait = @engine.shift
            wait.result = @engine.result
            wait.fiber.transfer
          end
          count
        end
      end
    end
  end
end
