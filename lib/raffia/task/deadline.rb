# frozen_string_literal: true

require "timeout"
require_relative "../base/clock"
require_relative "../base/error"
require_relative "../base/ractor_local"

module Raffia
  # A point in time by which work must be done. It is a value: frozen, shareable between Ractors,
  # and readable in a forked child, where the same clock runs. See {Raffia.timeout} and
  # {Raffia.deadline}.
  class Deadline
    KEY = :raffia_deadline
    private_constant :KEY

    # @return [Deadline, nil] the deadline that the running code works under
    def self.current = Fiber[KEY]

    # @param limit [Numeric, nil] seconds from now
    # @return [Deadline, nil] the current one, or that limit as one, whichever comes first
    # @api private
    def self.nearer(limit)
      outer = current
      return outer unless limit

      inner = new(limit)
      (outer && outer.at <= inner.at) ? outer : inner
    end

    # Makes it the current one for the block, and for what is started inside. It does not enforce
    # it.
    # @param deadline [Deadline, nil] nil lifts the one around the block
    # @api private
    def self.replace(deadline)
      outer = Fiber[KEY]
      Fiber[KEY] = deadline
      yield
    ensure
      Fiber[KEY] = outer
    end

    # @param seconds [Object] what a caller gave as a time limit
    # @return [Numeric] the same
    # @raise [ConfigError] when it is not a number of seconds from 0 up
    # @api private
    def self.seconds(seconds)
      return seconds if seconds.is_a?(Numeric) && seconds.real? && seconds >= 0 # NaN is not

      raise ConfigError, "a timeout is a number of seconds from 0 up, not #{seconds.inspect}"
    end

    # @return [Float] when, in {Clock}'s seconds
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

    # For long computations, which never wait and so cannot be interrupted: ends them when the time
    # is up.
    # @return [void]
    # @raise [TimeoutError, Cancel] when the deadline has passed
    def check!
      expire if expired?
    end

    # Runs the block under this deadline.
    # @return [Object] the block's value
    # @raise [TimeoutError] when the block was interrupted because the time was up
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

    # Where the work was waiting tells more than where the limit was set.
    # @return [TimeoutError] with the backtrace of what interrupted the work
    # @api private
    def error_at(interruption) = error.tap { |error| error.set_backtrace(interruption.backtrace) }

    # Ends the running code, whose time is up. Where its own fiber has entered the deadline, the
    # Cancel ends there and becomes a TimeoutError; where it is inherited (by a thread, say) nobody
    # would translate it.
    # @api private
    def expire
      CancellationStack.current&.expire(self, error)
      raise error
    end

    # @return [TimeoutError]
    # @api private
    def error = TimeoutError.new(seconds: limit)

    private

    def fix = freeze

    # Called by the alarm.
    # @return [nil] it is not to be called again
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
    # The composition root lies above this room, and is called by name.
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

  # Runs the block with a time limit. Deadlines nest, and the inner one can only shorten; they
  # travel into tasks, threads and pools that are started inside. The work is interrupted where it
  # waits, so code that only computes is not; it may ask `Raffia.deadline.check!`. Inside of the
  # block the interruption is a {Cancel}, so that a `rescue` in between cannot swallow it and an
  # inner timeout cannot be blamed for an outer one.
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

  # @return [Deadline, nil] the deadline that the running code works under; nil also inside of
  #   {Raffia.shield}
  def self.deadline = Deadline.current
end
