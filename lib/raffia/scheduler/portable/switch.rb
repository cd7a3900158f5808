# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable < Scheduler
      # Who runs next. All switches are transfers; there is no fiber of the loop's own.
      #
      # When a fiber ends, Ruby itself goes to the thread's main fiber, or to the innermost one that
      # the main fiber is resuming, whatever that waits for. So each of our transfers may return too
      # early, and all of them look again.
      #
      # An interrupt of the thread may be raised wherever a method of Ruby returns, a branch is
      # taken or an exception passes, here as elsewhere. So nothing is taken from where it is found
      # before the fiber it is for has taken notice: completions stay in the engine, and starts on
      # their stack. The first things that an `ensure` does are those that must happen, in single
      # calls of C.
      #
      # @api private
      module Switch
        # Hook of Fiber.schedule: starts the fiber at once; the caller goes on when it waits or
        # ends.
        #
        # @param options [Hash] for Fiber.new, such as storage:
        # @return [Fiber]
        # @raise [Closed]
        def fiber(**options, &block)
          raise_closed if closed?

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
          wait = new_wait(about: {reason: :yield})
          engine.push(wait, 0)
          suspend(wait)
          nil
        end

        private

        def init_switch
          @parked = {}.compare_by_identity # fiber => wait
          @owners = {}.compare_by_identity # fiber => the wait of another fiber that it is resuming
          @starts = []
          @runners = [] # fibers in Scheduler#run
          # The scheduler's fiber that runs. Whoever switches sets it for the other side, so a fiber
          # that finds somebody else's name there when it goes on was not switched to: it has been
          # struck.
          @running = nil
          @burst = @switches = @turns = @deepest = 0
          @longest_turn = 0.0
          @turn_begun = Clock.now
        end

        def start(child)
          parent = @running
          start = Start.new(Fiber.current, parent)
          @starts.push(start)
          @running = child
          child.transfer
          switch until @starts.last.equal?(start)
        rescue FiberError
          # There was no stack to be had for it, so it never ran.
          @running = parent if child.inspect.include?("(created)")
          raise
        ensure
          @starts.delete(start)
          give_back(parent)
        end

        # Suspends the running fiber until its wait is settled.
        #
        # @param guarded [Boolean] not to be ended by {Interrupt#fiber_interrupt}
        # @param subject [Object] what it waits for, to be shown
        # @yieldparam wait [Wait] the data for the engine's operations that are to end it
        # @yieldreturn [Boolean] whether there is no need to wait
        # @return [Integer, nil] the result of what ended it; nil when there was no need to wait
        def park(guarded = false, subject = nil)
          wait = new_wait(interruptible: !guarded, about: {subject: subject})
          suspend(wait) { yield wait }
        end

        # Ends the wait of a fiber, or of the one that it is resuming, with an exception. One that
        # has been woken is not failed any more, or the wake-up would be lost: whoever unlocks a
        # Mutex wakes one fiber only. Asked again for the same error, it answers the same.
        # @return [Wait, nil] nil when there is none that it may end
        def fail_wait(fiber, error)
          wait = @parked[fiber] || @owners[fiber] or return

          wait if wait.error.equal?(error) || (!woken?(wait) && wait.fail(error))
        end

        # An interrupt is going to be sent to it. Fibers are not used again here.
        def mark_interrupted(_fiber) = true

        # @return [Array<Array>] for each fiber that waits: fiber, owner, reason, subject,
        #   descriptor, events, limit, since
        def waits = @parked.values.map(&:describe)

        # @return [void]
        attr_writer :postponed_interrupts, :detects_deadlocks

        def run_until_over
          as_runner { switch until over? }
        end

        # @return [Wait] one for the running fiber
        def new_wait(**options)
          reject_wait if @rejects_waits
          fiber = Fiber.current
          Wait.new(fiber, @running || fiber, **options)
        end

        # Suspend the running fiber until the wait is settled.
        #
        # @yield once the wait can be found, so that nobody's wake-up gets lost: the block says
        #   whether there is no need to wait
        # @return [Integer, nil] the result; nil when there was no need to wait
        def suspend(wait)
          running = @running
          around = @parked[wait.fiber] # only in a trap handler
          announce(wait)
          return if block_given? && yield

          switch until wait.settled?
          raise wait.error if wait.error
          wait.result
        ensure
          around ? back_to(around) : @parked.delete(wait.fiber)
          wait.leave
          @owners.delete(wait.owner) if @owners[wait.owner].equal?(wait)
          give_back(wait.owner)
          @running = running
        end

        # The trap handler that waited in the middle of another wait is through with it. What ended
        # that one meanwhile has been passed over.
        def back_to(wait)
          @engine.push(wait, wait.result) if wait.settled? && !wait.error
          @parked[wait.fiber] = wait
        end

        # Fiber#raise and Fiber#kill go to the fiber that they strike by a transfer, from which Ruby
        # knows no way back. So whoever finds somebody else running when it goes on lets that one go
        # on when it waits or ends itself.
        #
        # @param owner [Fiber, nil] whose turn it is really
        def give_back(owner)
          intruder = @running
          @running = owner
          return if intruder.equal?(owner) || !intruder&.alive? || @parked.key?(intruder)

          @starts.push(Start.new(intruder, intruder, once: true))
        end

        def announce(wait)
          @parked[wait.fiber] = wait
          @owners[wait.owner] = wait unless wait.owner.equal?(wait.fiber)
          return unless wait.interruptible?

          error = take_postponed(wait.owner, wait.fiber) if @postponed.positive?
          raise error if error
        end

        # Give the thread to somebody else, and come back sooner or later.
        def switch
          raise_closed if closed?

          @switches += 1
          if (start = @starts.last) && goes_on?(start)
            @burst += 1 # a fiber that starts others holds up what the kernel has to say, too
            @starts.pop if start.once?
            go(start) if start.fiber.alive? # or somebody struck it in turn
          elsif (fiber = ready)
            # A trap handler may have waited here meanwhile, and the fiber have ended.
            fiber.transfer if !fiber.equal?(Fiber.current) && fiber.alive?
          else
            runner = idle? ? last_runner : @runners.last
            (runner && !runner.fiber.equal?(Fiber.current)) ? go(runner) : rest
          end
        end

        # A trap handler may wait in the middle of a start: then the fiber that started another one
        # cannot go on with it now.
        def goes_on?(start)
          start.once? || !(start.fiber.equal?(Fiber.current) || @parked.key?(start.fiber))
        end

        # @param start [Start]
        def go(start)
          @running = start.running
          start.fiber.transfer unless start.fiber.equal?(Fiber.current)
        end

        # @return [Fiber, nil] the next one that need not wait any more. The order in which fibers
        #   run is decided here, and nowhere else
        def ready
          look_at_io(0) if (@burst += 1) > TURN
          while (completion = @engine.peek)
            result = @engine.result
            # What is no wait itself says which one it ends.
            wait = completion.is_a?(Wait) ? completion : completion.complete(result)
            fiber = wait&.complete(result)
            if fiber && !around?(wait)
              @running = wait.owner
              return fiber
            end

            # A trap handler may have waited here meanwhile, and have taken it.
            @engine.shift if completion.equal?(@engine.peek)
          end
        end

        # Whether its fiber waits in a trap handler, in the middle of this wait: it will find it
        # settled when it comes back to it.
        def around?(wait)
          inner = @parked[wait.fiber]
          inner && !inner.equal?(wait)
        end

        # @return [Integer] completions
        def look_at_io(limit)
          @longest_turn = [@longest_turn, Clock.now - @turn_begun].max
          @turns += 1
          @burst = 0
          ready = @engine.poll(limit)
          @deepest = ready if ready > @deepest
          ready
        ensure
          @turn_begun = Clock.now
        end

        # Nothing is ready. Only the fiber in {Scheduler#run} sleeps, and one that cannot get rid of
        # the thread.
        def rest
          return if @runners.empty? && leave_for_main

          limit = longest_sleep
          look_at_io(limit) unless limit == 0
        end

        # Where no operation is under way, only others can end the sleep.
        # @return [Numeric, nil] seconds
        def longest_sleep
          return unless @detects_deadlocks && @engine.pending.zero?

          look_at_io(0).positive? ? 0 : check_deadlock
        end

        def leave_for_main
          running = @running
          @running = nil
          switch_to_main(@main) || ((@running = running) && false)
        end

        def as_runner
          engine
          @runners.push(me = Start.new(Fiber.current, @running))
          yield
        ensure
          @runners.delete(me)
          give_back(me.running) if me
        end

        # Whether the running fiber may leave Scheduler#run: nobody waits any more but in there.
        def over?
          @closed || (idle? && last_runner.fiber.equal?(Fiber.current))
        end

        # Who leaves first when nobody waits any more: a fiber that called Scheduler#run, the main
        # fiber comes after all others.
        def last_runner
          @runners.reverse_each.find { |runner| !runner.fiber.equal?(@main) } || @runners.last
        end
      end
    end
  end
end
