# frozen_string_literal: true

module Raffia
  class Scheduler
    # Who runs next. All switches are transfers; there is no fiber of the loop's own.
    #
    # When a fiber ends, Ruby itself goes to the thread's main fiber, or to the innermost one that the main fiber is resuming,
    # whatever that waits for. So each of our transfers may return too early, and all of them look again.
    #
    # An interrupt of the thread may be raised between any two lines here that return from a method. What is taken from the
    # engine is therefore kept in @completion until the fiber it is for has taken notice.
    #
    # @api private
    module Switch
      # Switches between two looks at I/O.
      TURN = 64

      # Hook of Fiber.schedule: starts the fiber at once; the caller goes on when it waits or ends.
      #
      # @param options [Hash] for Fiber.new, such as storage:
      # @return [Fiber]
      def fiber(**options, &block)
        engine
        child = Fiber.new(blocking: false, **options, &block)
        start(child)
        child
      end

      # Hook of Ruby 4.0: let the others go first.
      # @return [void]
      def yield
        wait = new_wait
        engine.push(wait, 0)
        park(wait)
        nil
      end

      private

      def init_switch
        @parked = {}.compare_by_identity # fiber => wait
        @owners = {}.compare_by_identity # fiber => the wait of another fiber that it is resuming
        @starts = []
        @completion = @runner = @running = nil
        @burst = @switches = 0
      end

      def start(child)
        parent = @running
        start = Start.new(Fiber.current)
        @starts.push(start)
        @running = child
        child.transfer
        until start.over?
          @starts.last.equal?(start) ? @starts.pop.finish : switch
        end
      ensure
        @starts.delete(start) unless start.over?
        @running = parent
      end

      # @return [Wait] one for the running fiber
      def new_wait(**options)
        fiber = Fiber.current
        Wait.new(fiber, @running || fiber, **options)
      end

      # Suspend the running fiber until the wait is settled.
      #
      # @yield once the wait can be found, so that nobody's wake-up gets lost: the block says whether there is no need to wait
      # @return [Integer, nil] the result; nil when there was no need to wait
      def park(wait)
        running = @running
        announce(wait)
        return if block_given? && yield

        switch until wait.settled?
        raise wait.error if wait.error
        wait.result
      ensure
        wait.leave
        withdraw(wait)
        @running = running
      end

      def announce(wait)
        @parked[wait.fiber] = wait
        @owners[wait.owner] = wait unless wait.owner.equal?(wait.fiber)
        raise_pending(wait)
      end

      def withdraw(wait)
        @parked.delete(wait.fiber)
        @owners.delete(wait.owner) if @owners[wait.owner].equal?(wait)
      end

      # Give the thread to somebody else, and come back sooner or later.
      def switch
        return inherit if @disowned

        @switches += 1
        if (start = @starts.pop)
          go(start.finish)
        elsif (fiber = ready)
          go(fiber)
        elsif @runner && !@runner.equal?(Fiber.current)
          @runner.transfer
        else
          rest
        end
      end

      def go(fiber)
        fiber.transfer unless fiber.equal?(Fiber.current)
      end

      # @return [Fiber, nil] the next one that need not wait any more
      def ready
        while (@completion ||= shift)
          fiber = @completion.complete(@engine.result)
          return fiber if fiber

          @completion = nil
        end
      end

      def shift
        if (@burst += 1) > TURN
          @burst = 0
          @engine.poll(0)
        end
        @engine.shift
      end

      # Nothing is ready. Only the fiber in {Scheduler#run} sleeps, and one that cannot get rid of the thread.
      def rest
        return if @runner.nil? && leave_to_main

        @burst = 0
        @engine.poll
      end

      # Without a runner the main fiber has started or resumed us by hand (Fiber#raise, for one), and will call `run` later.
      def leave_to_main
        return false if @main.equal?(Fiber.current)

        @main.transfer
        true
      rescue FiberError => error
        # It is resuming us, or is another thread's. An error of this kind that is not of our own making has another place of birth.
        raise unless error.backtrace&.first&.start_with?(__FILE__)
        false
      end

      def as_runner
        engine
        previous = @runner
        @runner = Fiber.current
        yield
      ensure
        @runner = previous
      end

      def idle?
        return !@heir.alive? || @heir.equal?(Fiber.current) if @disowned

        @parked.empty? && @starts.empty?
      end

      # A fiber of this process has ended, and Ruby came back to what was the parent's loop.
      def inherit
        @heir.transfer if @heir.alive? && !@heir.equal?(Fiber.current)
      end
    end
  end
end
