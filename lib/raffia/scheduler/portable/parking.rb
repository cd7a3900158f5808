# frozen_string_literal: true

require_relative "wait"

module Raffia
  class Scheduler
    class Portable
      # Suspends fibers, and ends their waits.
      #
      # @api private
      module Parking
        # Suspends the running fiber until its wait, which the block gets, is settled. Returns the
        # result; nil when the block says that waiting is unnecessary.
        def park(uninterruptible = false, subject = nil)
          wait = new_wait(interruptible: !uninterruptible, about: {subject: subject})
          suspend(wait) { yield wait }
        end

        # Ends the wait of a fiber, or of the one that it is resuming, with an exception. A wait
        # that has been woken is not failed, or the wake-up would be lost: Mutex#unlock wakes one
        # fiber only. Idempotent for one error. Nil when there is no wait that may be ended.
        def fail_wait(fiber, error)
          wait = @parked[fiber] || @owners[fiber] or return

          wait if wait.error.equal?(error) || (!woken?(wait) && wait.fail(error))
        end

        # Fibers are not reused here.
        def mark_interrupted(_fiber) = true

        # One row per fiber that waits: fiber, owner, reason, subject, descriptor, events, limit,
        # since.
        def waits = @parked.values.map(&:describe)

        attr_writer :postponed_interrupts, :rejects_waits

        # Adds a completion, from any thread.
        def deliver(completion, result)
          engine = @engine or return

          own = @thread.equal?(Thread.current)
          own ? engine.push(completion, result) : engine.inject(completion, result)
        end

        private

        def new_wait(**options)
          reject_wait if @rejects_waits
          fiber = Fiber.current
          Wait.new(fiber, @running || fiber, **options)
        end

        # Suspends the running fiber until the wait is settled. The block runs once the wait can be
        # found, so that no wake-up gets lost, and returns whether waiting is unnecessary.
        def suspend(wait)
          running = @running
          outer = @parked[wait.fiber] # only in a trap handler
          enlist(wait)
          return if block_given? && yield

          switch until wait.settled?
          raise wait.error if wait.error
          wait.result
        ensure
          outer ? resume_outer(outer) : @parked.delete(wait.fiber)
          wait.leave
          @owners.delete(wait.owner) if @owners[wait.owner].equal?(wait)
          restore_running(wait.owner)
          @running = running
        end

        def enlist(wait)
          @parked[wait.fiber] = wait
          @owners[wait.owner] = wait unless wait.owner.equal?(wait.fiber)
          return unless wait.interruptible?

          error = take_postponed(wait.owner, wait.fiber) if @postponed_interrupts.positive?
          raise error if error
        end

        # The trap handler that waited in the middle of another wait has ended. A completion of that
        # one meanwhile has been skipped.
        def resume_outer(wait)
          @engine.push(wait, wait.result) if wait.settled? && !wait.error
          @parked[wait.fiber] = wait
        end

        def wakes?(wait, fiber)
          case wait.woken_by
          when :anyone then true
          when :event then !@permits.late?(fiber)
          end
        end

        def woken?(wait) = @permits.given?(wait.fiber) && wakes?(wait, wait.fiber)
      end
    end
  end
end
