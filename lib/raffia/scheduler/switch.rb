# frozen_string_literal: true

module Raffia
  class Scheduler
    # Who runs next. All switches are transfers; there is no fiber of the loop's own.
    #
    # When a fiber ends, Ruby itself goes to the thread's main fiber, or to the innermost one that the main fiber is resuming,
    # whatever that waits for. So each of our transfers may return too early, and all of them look again.
    #
    # An interrupt of the thread may be raised wherever a method of Ruby returns, a branch is taken or an exception passes, here as
    # elsewhere. So nothing is taken from where it is found before the fiber it is for has taken notice: completions stay in the
    # engine, and starts on their stack. The first things that an `ensure` does are those that must happen, in single calls of C.
    #
    # @api private
    module Switch
      # Switches between two looks at I/O.
      TURN = 64

      # Hook of Fiber.schedule: starts the fiber at once; the caller goes on when it waits or ends.
      #
      # @param options [Hash] for Fiber.new, such as storage:
      # @return [Fiber]
      # @raise [Closed]
      def fiber(**options, &block)
        raise Closed, CLOSED if @closed

        engine
        child = Fiber.new(blocking: false, **options, &block)
        start(child)
        child
      end

      # @return [Boolean] whether no fiber waits any more
      def idle?
        @parked.empty? && @starts.empty?
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
        @runners = [] # fibers in Scheduler#run
        @running = nil
        @burst = @switches = 0
      end

      def start(child)
        parent = @running
        start = Start.new(Fiber.current)
        @starts.push(start)
        @running = child
        child.transfer
        switch until @starts.last.equal?(start)
      ensure
        @starts.delete(start)
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
        around = @parked[wait.fiber] # only in a trap handler
        announce(wait)
        return if block_given? && yield

        away = true
        switch until wait.settled?
        away = false
        raise wait.error if wait.error
        wait.result
      ensure
        intruder = @running
        around ? @parked[wait.fiber] = around : @parked.delete(wait.fiber)
        @running = running
        wait.leave
        @owners.delete(wait.owner) if @owners[wait.owner].equal?(wait)
        give_back(intruder) if away && !intruder.equal?(running)
      end

      # Fiber#raise and Fiber#kill go to the fiber that they strike by a transfer, from which Ruby knows no way back. Whoever runs without
      # having parked, is the one that called them, and goes on when this fiber waits or ends.
      def give_back(fiber)
        @starts.push(Start.new(fiber, once: true)) if fiber&.alive? && !@parked.key?(fiber)
      end

      def announce(wait)
        @parked[wait.fiber] = wait
        @owners[wait.owner] = wait unless wait.owner.equal?(wait.fiber)
        raise_pending(wait)
      end

      # Give the thread to somebody else, and come back sooner or later.
      def switch
        raise Closed, CLOSED if @closed

        @switches += 1
        if (start = @starts.last)
          @running = @starts.pop.fiber if start.once?
          go(start.fiber)
        elsif (fiber = ready)
          go(fiber)
        else
          runner = idle? ? last_runner : @runners.last
          (runner && !runner.equal?(Fiber.current)) ? runner.transfer : rest
        end
      end

      def go(fiber)
        fiber.transfer unless fiber.equal?(Fiber.current)
      end

      # @return [Fiber, nil] the next one that need not wait any more
      def ready
        look_at_io if (@burst += 1) > TURN
        while (completion = @engine.peek)
          fiber = completion.complete(@engine.result)
          return fiber if fiber

          # A trap handler may have waited here meanwhile, and have taken it.
          @engine.shift if completion.equal?(@engine.peek)
        end
      end

      def look_at_io
        @burst = 0
        @engine.poll(0)
      end

      # Nothing is ready. Only the fiber in {Scheduler#run} sleeps, and one that cannot get rid of the thread.
      def rest
        return if @runners.empty? && leave_to_main

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
        me = Fiber.current
        @runners.push(me)
        yield
      ensure
        @runners.delete_at(@runners.rindex(me)) if me && @runners.include?(me)
      end

      # Whether the running fiber may leave Scheduler#run: nobody waits any more but in there.
      def over?
        @closed || (idle? && last_runner.equal?(Fiber.current))
      end

      # Who leaves first when nobody waits any more: a fiber that called Scheduler#run, the main fiber comes after all others.
      def last_runner
        @runners.reverse_each.find { |fiber| !fiber.equal?(@main) } || @runners.last
      end
    end
  end
end
