# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable
      # One suspension of one fiber. The engine's completions (readiness, a timer, a wake-up) carry
      # it, and the first settles it. It is never reused, so a late one cannot end the next wait.
      #
      # @api private
      class Wait
        # `owner` is the scheduler's fiber in which the fiber runs; another one while that is
        # resuming an Enumerator. `woken_by`: the unblock that ends the wait, :anyone's or all but a
        # late one (:event). An `error` is raised in place of the first completion's `result`.
        attr_reader :fiber, :owner, :result, :error, :woken_by

        # `about` is for people: reason:, subject:, fd:, events:, limit:.
        def initialize(fiber, owner, woken_by: nil, interruptible: true, about: {})
          @fiber = fiber
          @owner = owner
          @about = about
          @since = Clock.now
          @woken_by = woken_by
          @interruptible = interruptible
          @settled = @left = false
        end

        def settled? = @settled

        def describe
          [@fiber, @owner, @about[:reason] || :work, @about[:subject], @about[:fd],
            @about[:events] || 0, @about[:limit]&.to_f, @since]
        end

        def interruptible? = @interruptible

        # The loop switches to the fiber that this returns. It may call this again with the same
        # result, after an interrupt of the thread.
        def complete(result)
          return if @left

          @result = result unless @settled
          @settled = true
          @fiber
        end

        # Whether the exception will be raised where the fiber waits.
        def fail(error)
          return false if @settled || !@interruptible

          @error = error
          @settled = true
        end

        def leave
          @left = @settled = true
        end
      end
    end
  end
end
