# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # The cancel scopes of one fiber, innermost last: its task, the {Scope}s whose blocks it runs, its
  # timeouts and its shields. {Cancel} is raised where the fiber waits, carries the origin of its
  # cancel scope, and is rescued where that ends. So no code takes a cancellation of another scope
  # for its own.
  #
  # Delivery is level-triggered for the waits of this component: each wait in a cancelled scope
  # raises. The waits of Ruby's core (sleep, IO, Mutex, Queue) are interrupted once, through the
  # scheduler. Such an interrupt arrives later than it was sent, so it could miss its scope or hit a
  # shield. Therefore a scope is left, and a shield entered, only after interrupts on their way have
  # been received (see {#receive}).
  #
  # @api private
  class CancellationStack
    KEY = :raffia_cancellation_stack
    # Turns of the loop to wait for an interrupt that was sent. A scheduler delivers it in the
    # first.
    TURNS = 3
    private_constant :KEY, :TURNS

    # The stack of the running fiber, nil when it is in no scope. Fiber storage is inherited, so it
    # may hold the stack of the fiber that created this one, or of a finished life of a recycled
    # fiber.
    def self.current
      stack = Fiber[KEY]
      stack if stack&.here?
    end

    # Runs the block in a new cancel scope of the running fiber.
    def self.enter(origin, shield: false, &)
      stack = current
      return stack.enter(origin, shield, &) if stack

      inherited = Fiber[KEY]
      begin
        (Fiber[KEY] = new).enter(origin, shield, &)
      ensure
        Fiber[KEY] = inherited
      end
    end

    attr_reader :fiber

    def initialize
      @lock = SpinLock.new
      @fiber = Fiber.current
      @scheduler = Fiber.current_scheduler
      @scope = @waiter = nil
    end

    def here? = @scope && @fiber.equal?(Fiber.current)

    # The origin of the outermost scope; nil when the fiber has left that.
    def root
      scope = @scope
      scope = scope.parent while scope&.parent
      scope&.origin
    end

    def enter(origin, shield)
      scope = CancelScope.new(self, origin, @scope, shield)
      @lock.hold { @scope = scope }
      postpone(scope.parent) if shield
      value = yield scope
      ended = true
      value
    ensure
      leave(scope, ended)
    end

    # Whether this call cancelled the scope.
    def cancel(scope, reason)
      delivered = @lock.hold do
        return false if scope.closed? || scope.requested?

        scope.request(reason)
        !visible?(scope) || deliver(scope)
      end
      interrupt_later(scope) unless delivered
      true
    end

    # Ends the running fiber's scope of this origin: raises Cancel. Returns when it has none.
    def expire(origin, reason)
      scope = scope_of(origin) or return

      @lock.hold { scope.request(reason) unless scope.requested? }
      check!
    end

    # Raises Cancel when a scope that is not shielded has been cancelled: of several, the outermost.
    def check!
      scope = @lock.hold { pending } or return
      # Or the interrupt that is on its way would follow this one.
      await(scope.in_flight)
      raise scope.notify
    end

    # Whether an alarm ends the running fiber's scope of this deadline in time.
    def alarmed?(deadline) = @scheduler && deadline && scope_of(deadline)

    def enter_wait(waiter)
      free = @lock.hold { pending.nil? && @waiter = waiter }
      check! unless free
    end

    def leave_wait
      @lock.hold { @waiter = nil }
    end

    private

    def scope_of(origin)
      scope = @scope
      scope = scope.parent until scope.nil? || scope.origin.equal?(origin)
      scope
    end

    def leave(scope, ended)
      @lock.hold do
        @scope = scope.parent
        scope.close
      end
      receive([scope.in_flight]) if scope.in_flight
      deliver_postponed(ended) if scope.shield?
    end

    # A cancellation that came during a shield is due at its end. When the shield ends with an
    # exception or a jump, that goes first, and the cancellation meets the next wait.
    def deliver_postponed(ended)
      due = @lock.hold do
        scope = pending
        scope if scope&.undelivered? && (ended || !deliver(scope))
      end
      return unless due

      ended ? raise(due.notify) : interrupt_later(due)
    end

    # Receives now what was sent to the scopes around a shield, and keeps it for the shield's end.
    def postpone(scope)
      around = []
      while scope
        around << scope if scope.in_flight
        scope = scope.parent
      end
      receive(around.map(&:in_flight))
      around.each(&:forget)
    end

    # Under the lock, so that a notice that is in flight has been sent. False: it cannot be sent
    # from here.
    def deliver(scope)
      notice = scope.notify
      return true if @waiter&.fail(notice)

      sendable = @scheduler.respond_to?(:fiber_interrupt)
      sendable ? @scheduler.fiber_interrupt(@fiber, notice) : scope.forget
      sendable
    end

    # For schedulers without `fiber_interrupt`, which core has from Ruby 4.0: a fiber raises it in
    # ours, a turn later, when ours is parked for certain. Another thread cannot start such a fiber;
    # then there is only the level trigger.
    def interrupt_later(scope)
      return unless @scheduler&.equal?(Fiber.scheduler)

      notice = scope.notify
      Fiber.schedule do
        @scheduler.block(notice, 0)
        @fiber.raise(notice) if @fiber.alive? && !scope.closed?
      end
    end

    def visible?(scope)
      inner = @scope
      until inner.equal?(scope)
        return false if inner.shield?

        inner = inner.parent
      end
      true
    end

    def pending
      found = nil
      scope = @scope
      while scope
        found = scope if scope.requested?
        break if scope.shield?

        scope = scope.parent
      end
      found
    end

    # Lets the loop deliver the interrupt.
    def await(notice)
      TURNS.times { @scheduler.block(self, 0) unless notice.backtrace } if notice && @scheduler
    end

    # Lets the loop deliver these interrupts, and rescues them. Others are raised.
    def receive(notices)
      return if notices.empty? || @scheduler.nil?

      other = nil
      (TURNS * notices.size).times do
        break if notices.all?(&:backtrace)

        @scheduler.block(self, 0)
      rescue Exception => error # standard:disable Lint/RescueException
        other = error unless notices.include?(error)
      end
      raise other if other
    end
  end
end
