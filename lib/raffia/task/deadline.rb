# frozen_string_literal: true

require "timeout"
require_relative "../base/clock"
require_relative "../base/error"
require_relative "../base/ractor_local"

module Raffia
  # A point in time by which work must be done: frozen, shareable between Ractors, and valid in a
  # forked child, where the same clock runs. See {Raffia.timeout} and {Raffia.deadline}.
  class Deadline
    KEY = :raffia_deadline
    private_constant :KEY

    # @return [Deadline, nil] of the running code
    def self.current = Fiber[KEY]

    # The current one, or one in +limit+ seconds, whichever comes first. +limit+ may be nil.
    # @api private
    def self.nearer(limit)
      outer = current
      return outer unless limit

      inner = new(limit)
      (outer && outer.at <= inner.at) ? outer : inner
    end

    # Makes it the current one for the block, and for what is started inside, without enforcing it.
    # nil lifts the one around the block.
    # @api private
    def self.replace(deadline)
      outer = Fiber[KEY]
      Fiber[KEY] = deadline
      yield
    ensure
      Fiber[KEY] = outer
    end

    # Checks and returns a caller's time limit: a number of seconds from 0 up.
    # @api private
    def self.seconds(seconds)
      return seconds if seconds.is_a?(Numeric) && seconds.real? && seconds >= 0 # NaN is not

      raise ConfigError, "a timeout is a number of seconds from 0 up, not #{seconds.inspect}"
    end

    # @return [Float] seconds of {Clock}
    attr_reader :at
    # @return [Numeric] the time limit in seconds, as it was given
    attr_reader :limit

    # @param limit [Numeric] seconds from now
    def initialize(limit)
      @limit = Deadline.seconds(limit)
      @at = Clock.now + limit
      fix
    end

    # @return [Float] seconds left, 0.0 when none
    def remaining = [at - Clock.now, 0.0].max

    # @return [Boolean]
    def expired? = Clock.now >= at

    # For long computations, which never wait and so cannot be interrupted.
    # @return [void]
    # @raise [TimeoutError, Cancel] when the deadline has passed
    def check!
      expire if expired?
    end

    # Runs the block under this deadline, and returns its value. Raises TimeoutError when the block
    # was interrupted because the time was up.
    # @api private
    def enforce(&)
      return enforce_in_run(&) unless Fiber.current_scheduler || RactorLocal.main?

      impose(&)
    rescue Cancel => cancel
      raise unless cancel.origin.equal?(self)

      raise error_at(cancel), cause: nil
    end

    # Like {enforce}, but leaves the {Cancel} as it is, for a task to translate.
    # @api private
    def impose(&block)
      CancellationStack.enter(self) do |cancel_scope|
        Deadline.replace(self) { watch(cancel_scope, &block) }
      end
    end

    # An error with the backtrace of the interruption: where the work was waiting tells more than
    # where the limit was set.
    # @api private
    def error_at(interruption) = error.tap { |error| error.set_backtrace(interruption.backtrace) }

    # Ends the running code, whose time is up. Where its own fiber has entered the deadline, a
    # Cancel ends there and becomes a TimeoutError; where it is inherited (by a thread, say) it is
    # raised as that.
    # @api private
    def expire
      CancellationStack.current&.expire(self, error)
      raise error
    end

    # @api private
    def error = TimeoutError.new(seconds: limit)

    private

    def fix = freeze

    # Called by the alarm, and not again.
    def late(cancel_scope)
      cancel_scope.cancel(error)
      nil
    end

    def watch(cancel_scope, &)
      scheduler = Fiber.current_scheduler
      scheduler ? Alarm.of(scheduler).watch(at, -> { late(cancel_scope) }, &) : watch_thread(&)
    end

    # Timeout's thread belongs to the main Ractor, and threads of several Ractors lose wake-ups on
    # Ruby 3.3 and 3.4. So in another Ractor the block gets a scheduler, which interrupts its waits.
    # Raffia.run is of a higher layer, and found by name.
    def enforce_in_run(&block)
      unless Raffia.respond_to?(:run)
        raise ConfigError, "Raffia.timeout in a Ractor needs a Fiber scheduler: require \"raffia\""
      end

      Raffia.run(deadlock: :off, dump_on: :off) { enforce(&block) }
    rescue LocalJumpError => jump
      raise unless jump.reason == :break

      jump.exit_value # the block runs in another fiber, from which it cannot unwind to here
    rescue UncaughtThrowError => thrown
      throw thrown.tag, thrown.value
    end

    # Timeout::Error leaves the outer block when the time was up, the inner one when it is the
    # user's own.
    def watch_thread
      own = nil
      ::Timeout.timeout([remaining, 0.000_001].max) do
        yield
      rescue ::Timeout::Error => error
        own = error
        raise
      end
    rescue ::Timeout::Error => late
      raise if late.equal?(own)

      raise error_at(late), cause: nil
    end
  end

  # Runs the block with a time limit. Deadlines nest, and the inner one can only shorten. Tasks,
  # threads and pools that are started inside inherit it. The work is interrupted where it waits;
  # code that only computes may call `Raffia.deadline.check!`. Inside of the block the interruption
  # is a {Cancel}, so a `rescue` in between cannot swallow it.
  #
  # @param seconds [Numeric]
  # @return [Object] the block's value
  # @raise [TimeoutError] when the block was interrupted
  # @raise [ConfigError] when `seconds` is negative or not a number
  def self.timeout(seconds, &)
    inner = Deadline.new(seconds)
    outer = deadline
    return yield if inner.at.infinite? || (outer && outer.at <= inner.at)

    inner.enforce(&)
  end

  # @return [Deadline, nil] of the running code; nil also inside of {Raffia.shield}
  def self.deadline = Deadline.current
end
