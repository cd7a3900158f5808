# frozen_string_literal: true

require_relative "../../base"
require_relative "../../engine"
require_relative "wait"
require_relative "turns"
require_relative "readiness"
require_relative "transfer"
require_relative "process_wait"

module Raffia
  # Raffia behind interfaces that others have defined.
  module Integrations
    # For the gem io-event, and so for Async and Falcon.
    module IOEvent
      # Raffia's engine with the methods of io-event's selectors. A scheduler (Async's, for one)
      # brings the fibers, the timers and the hooks; this switches between its fibers and the loop,
      # and waits for descriptors and processes.
      #
      #   require "raffia/integrations/io_event"
      #   selector = IO::Event::Selector::Raffia.new(Fiber.current)
      #
      # It belongs to the thread and the process that made it. {#push} and {#wakeup} alone may be
      # called by other threads.
      class Selector
        include Turns
        include Readiness
        include Transfer
        include ProcessWait

        # Schedulers mask signals and ask for them between two turns, so one that is pending must
        # end the sleep, masked or not. Ruby looks at those again when a mask is opened, which this
        # one is for; the engine in Ruby, whose `select` goes on sleeping, is struck.
        AWAKE = {Exception => :on_blocking}.freeze
        private_constant :AWAKE

        # @return [Fiber] the one that calls {#select}
        attr_reader :loop

        # @return [Float] seconds that the last {#select} slept
        attr_reader :idle_duration

        # @param loop [Fiber] the running one, most often
        # @param backend [Symbol, String, nil] :uring, :epoll, :poll, :select; nil: what
        #   RAFFIA_BACKEND says, else the best that works
        # @raise [ConfigError] when there is no such back end, or it does not work here
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

        # Go to the loop; from the loop itself this does nothing.
        # @return [Object, nil] what the fiber is resumed with
        def transfer = @loop.transfer

        # Run the fibers whose turn it is, then those whose events have come. Only when there are
        # none, sleep until one comes. To be called by the loop.
        #
        # @param duration [Numeric, nil] seconds to sleep at the longest; nil: without a limit
        # @return [Integer] events
        # @raise [IOError] when it is closed
        def select(duration = nil)
          @idle_duration = 0.0
          deliver((take_turns || duration == 0) ? @engine.poll(0) : rest(duration))
        end

        # End the sleep of {#select}. When it does not sleep, the next one ends at once, so that
        # nothing that a thread or a signal handler has set before this call is overslept.
        #
        # @return [Boolean] whether it slept
        def wakeup
          blocked = @blocked
          @engine.wake
          blocked
        end

        # Give everything back; harmless when repeated, and in a forked child. The fibers that wait
        # are left where they are.
        # @return [void]
        def close
          @engine.close
        end

        # @return [Boolean] also in a forked child, which has no part in its parent's
        def closed? = @engine.closed?

        # @return [String]
        def inspect = "#<#{self.class} #{backend}#{" closed" if closed?}>"

        private

        def rest(duration)
          @blocked = true # before the look at the turns: whoever adds one later, wakes
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

        # Not more than were there in the beginning, or fibers that are always ready would keep the
        # scheduler from its timers.
        #
        # An interrupt of the thread may strike where a method of Ruby returns or a branch is taken.
        # There is none between the `shift` and the switch, so a completion that has been taken is
        # not lost.
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
