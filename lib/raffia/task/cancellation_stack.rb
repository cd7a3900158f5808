# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # The cancellable regions that one fiber is in, innermost first: the task itself, the scopes whose
  # blocks it runs, its timeouts and its shields. A region is cancelled as a whole: {Cancel} is
  # raised at the point where the fiber waits, carries the region's origin, and is stopped where
  # that region ends, so nobody mistakes another's cancellation for his own.
  #
  # Delivery is level-triggered for the waits of this room: in a cancelled region each of them
  # raises. The waits of core (sleep, IO, Mutex, Queue) are interrupted through the scheduler, once.
  # Such an interrupt is delivered a little later than it was sent, so it may miss its region or
  # meet a shield; a region is therefore left, and a shield entered, only after an interrupt that is
  # still on its way has been received (see #receive). That is why a late cancellation never strikes
  # the code behind.
  #
  # @api private
  class CancellationStack
    KEY = :raffia_cancellation_stack
    # How many turns of the loop to wait for an interrupt that was sent. A scheduler delivers it in
    # the first.
    TURNS = 3
    private_constant :KEY, :TURNS

    # @return [CancellationStack, nil] the strand of the running fiber, if it is in a region. Fiber
    #   storage is inherited, so what is found there may be the strand of the fiber that created
    #   this one, or of a finished life of a recycled fiber.
    def self.current
      strand = Fiber[KEY]
      strand if strand&.here?
    end

    # Runs the block in a new region of the running fiber.
    # @yieldparam region [CancelScope]
    def self.enter(origin, shield: false, &)
      strand = current
      return strand.enter(origin, shield, &) if strand

      inherited = Fiber[KEY]
      begin
        (Fiber[KEY] = new).enter(origin, shield, &)
      ensure
        Fiber[KEY] = inherited
      end
    end

    # @return [Fiber]
    attr_reader :fiber

    def initialize
      @guard = SpinLock.new
      @fiber = Fiber.current
      @scheduler = Fiber.current_scheduler
      @region = @waiter = nil
    end

    def here? = @region && @fiber.equal?(Fiber.current)

    # @return [Object, nil] the origin of the outermost region; nil when the fiber has left that
    def root
      region = @region
      region = region.parent while region&.parent
      region&.origin
    end

    def enter(origin, shield)
      region = CancelScope.new(self, origin, @region, shield)
      @guard.hold { @region = region }
      postpone(region.parent) if shield
      value = yield region
      ended = true
      value
    ensure
      leave(region, ended)
    end

    # @return [Boolean] whether this call cancelled the region
    def cancel(region, reason)
      delivered = @guard.hold do
        return false if region.closed? || region.requested?

        region.request(reason)
        !visible?(region) || deliver(region)
      end
      courier(region) unless delivered
      true
    end

    # Ends the running fiber's region that belongs to this origin, if it has one.
    # @return [void] when it has none
    # @raise [Cancel] otherwise
    def expire(origin, reason)
      region = region_of(origin) or return

      @guard.hold { region.request(reason) unless region.requested? }
      check!
    end

    # Raises what is due.
    # @raise [Cancel] when a region that is not shielded has been cancelled: of several, the
    #   outermost
    def check!
      region = @guard.hold { pending } or return
      # Take the interrupt that is on its way, or it would come on top of this one.
      await(region.in_flight)
      raise region.notify
    end

    # @return [Boolean] whether somebody else ends the running fiber's region of this deadline in
    #   time
    def alarmed?(deadline) = @scheduler && deadline && region_of(deadline)

    def enter_wait(waiter)
      free = @guard.hold { pending.nil? && @waiter = waiter }
      check! unless free
    end

    def leave_wait
      @guard.hold { @waiter = nil }
    end

    private

    def region_of(origin)
      region = @region
      region = region.parent until region.nil? || region.origin.equal?(origin)
      region
    end

    def leave(region, ended)
      @guard.hold do
        @region = region.parent
        region.close
      end
      receive([region.in_flight]) if region.in_flight
      catch_up(ended) if region.shield?
    end

    # What came to a shield's surroundings meanwhile is due at its end. When the shield ends with an
    # exception or a jump, that goes first, and the cancellation meets the next wait.
    def catch_up(ended)
      due = @guard.hold do
        region = pending
        region if region&.undelivered? && (ended || !deliver(region))
      end
      return unless due

      ended ? raise(due.notify) : courier(due)
    end

    # Receives now what was sent to the regions around a shield, and keeps it for the shield's end.
    def postpone(region)
      around = []
      while region
        around << region if region.in_flight
        region = region.parent
      end
      receive(around.map(&:in_flight))
      around.each(&:forget)
    end

    # Under the guard, so that whoever sees a notice in flight knows that it has been sent.
    # @return [Boolean] false: there was no way to send it from here
    def deliver(region)
      notice = region.notify
      return true if @waiter&.fail(notice)

      sendable = @scheduler.respond_to?(:fiber_interrupt)
      sendable ? @scheduler.fiber_interrupt(@fiber, notice) : region.forget
      sendable
    end

    # For schedulers without `fiber_interrupt`, which core has from Ruby 4.0: a fiber that raises it
    # in ours, a turn later, when ours is parked for certain. Another thread has no way to get such
    # a fiber; then there is only the level trigger.
    def courier(region)
      return unless @scheduler&.equal?(Fiber.scheduler)

      notice = region.notify
      Fiber.schedule do
        @scheduler.block(notice, 0)
        @fiber.raise(notice) if @fiber.alive? && !region.closed?
      end
    end

    def visible?(region)
      inner = @region
      until inner.equal?(region)
        return false if inner.shield?

        inner = inner.parent
      end
      true
    end

    def pending
      found = nil
      region = @region
      while region
        found = region if region.requested?
        break if region.shield?

        region = region.parent
      end
      found
    end

    # Lets the loop deliver the interrupt.
    def await(notice)
      TURNS.times { @scheduler.block(self, 0) unless notice.backtrace } if notice && @scheduler
    end

    # Lets the loop deliver these interrupts, and takes them off the air. Others that come with them
    # are meant and go on.
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
