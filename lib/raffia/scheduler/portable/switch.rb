# frozen_string_literal: true

require_relative "start"

module Raffia
  class Scheduler
    class Portable
      # Decides which fiber runs next. All switches are transfers; the loop has no fiber of its own.
      #
      # When a fiber ends, Ruby itself switches to the thread's main fiber, or to the innermost one
      # that the main fiber is resuming, whatever that waits for. So each of our transfers may
      # return too early, and all of them check again.
      #
      # An interrupt of the thread may be raised wherever a method of Ruby returns, a branch is
      # taken or an exception passes. So nothing is removed before its fiber has seen it:
      # completions stay in the engine, and starts on their stack. An `ensure` begins with what must
      # happen, in single calls of C.
      #
      # @api private
      module Switch
        # Hook of Fiber.schedule: starts the fiber at once; the caller resumes when it waits or
        # ends.
        def fiber(**options, &block)
          raise_closed if closed?

          engine
          child = Fiber.new(blocking: false, **options) { run_block(&block) }
          start(child)
          child
        end

        def idle? = @parked.empty? && @starts.empty?

        # Hook of Ruby 4.0: lets the others run first.
        def yield
          wait = new_wait(about: {reason: :yield})
          engine.push(wait, 0)
          suspend(wait)
          nil
        end

        attr_writer :detects_deadlocks

        private

        def run_block
          yield
        ensure
          let_kill_pass
        end

        def start(child)
          parent = @running
          start = Start.new(Fiber.current, parent)
          @starts.push(start)
          @running = child
          child.transfer
          switch until @starts.last.equal?(start)
        rescue FiberError
          # There was no stack for it, so it never ran.
          @running = parent if child.inspect.include?("(created)")
          raise
        ensure
          @starts.delete(start)
          restore_running(parent)
        end

        # Fiber#raise and Fiber#kill transfer to their target, and Ruby keeps no way back. So a
        # fiber that finds another one running when it resumes lets that one resume when it waits or
        # ends itself.
        def restore_running(owner)
          raiser = @running
          @running = owner
          return if raiser.equal?(owner) || !raiser&.alive? || @parked.key?(raiser)

          @starts.push(Start.new(raiser, raiser, once: true))
        end

        # Returns when this fiber is resumed.
        def switch
          raise_closed if closed?

          @switches += 1
          if (start = @starts.last) && can_resume?(start)
            @turns.due? # starts count as switches: they delay the next poll, too
            @starts.pop if start.once?
            switch_to(start) if start.fiber.alive? # or another fiber has killed it in turn
          elsif (fiber = next_ready)
            # A trap handler may have waited here meanwhile, and the fiber have ended.
            fiber.transfer if !fiber.equal?(Fiber.current) && fiber.alive?
          else
            runner = idle? ? last_runner : @runners.last
            (runner && !runner.fiber.equal?(Fiber.current)) ? switch_to(runner) : sleep_until_ready
          end
        end

        # A trap handler may wait in the middle of a start: then the fiber that started another one
        # cannot resume yet.
        def can_resume?(start)
          start.once? || !(start.fiber.equal?(Fiber.current) || @parked.key?(start.fiber))
        end

        def switch_to(start)
          @running = start.running
          start.fiber.transfer unless start.fiber.equal?(Fiber.current)
        end

        # The next fiber to run, or nil. The order in which fibers run is decided here, and nowhere
        # else.
        def next_ready
          poll_io(0) if @turns.due?
          while (completion = @engine.peek)
            result = @engine.result
            # An object that is no wait returns the one that it ends.
            wait = completion.is_a?(Wait) ? completion : completion.complete(result)
            fiber = wait&.complete(result)
            if fiber && !outer?(wait)
              @running = wait.owner
              return fiber
            end

            # A trap handler may have waited here meanwhile, and have taken it.
            @engine.shift if completion.equal?(@engine.peek)
          end
        end

        # Whether its fiber waits in a trap handler, in the middle of this wait: then it finds it
        # settled when it comes back to it.
        def outer?(wait)
          inner = @parked[wait.fiber]
          inner && !inner.equal?(wait)
        end

        def poll_io(limit) = @turns.poll(@engine, limit)

        # Only two fibers sleep: the one in {Scheduler#run}, and one that has no fiber to switch to.
        def sleep_until_ready
          return if @runners.empty? && leave_for_main

          limit = longest_sleep
          poll_io(limit) unless limit == 0
        end

        # Seconds, or nil. Where no operation is under way, only other threads can end the sleep.
        def longest_sleep
          return unless @detects_deadlocks && @engine.pending.zero?

          poll_io(0).positive? ? 0 : check_deadlock
        end

        def leave_for_main
          running = @running
          @running = nil
          switch_to_main(@main) || ((@running = running) && false)
        end

        def run_until_over
          engine
          @runners.push(runner = Start.new(Fiber.current, @running))
          switch until over?
        ensure
          @runners.delete(runner)
          restore_running(runner.running) if runner
        end

        # Whether the running fiber may leave Scheduler#run.
        def over?
          @closed || (idle? && last_runner.fiber.equal?(Fiber.current))
        end

        # The first to leave when no fiber waits any more: a fiber that called Scheduler#run; the
        # main fiber comes last.
        def last_runner
          @runners.reverse_each.find { |runner| !runner.fiber.equal?(@main) } || @runners.last
        end
      end
    end
  end
end
