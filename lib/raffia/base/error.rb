# frozen_string_literal: true

module Raffia
  # Root of all errors that users of Raffia may rescue. Leaves are named by what the caller can do.
  # Readers have the facts, and `cause` the original error.
  class Error < StandardError
  end

  # A bad argument, option or environment variable. The message lists the valid values.
  class ConfigError < Error
  end

  # A script, a file or an experiment that was named does not exist.
  class NotFound < Error
    # @return [String, nil] the missing thing
    attr_reader :name

    def initialize(message = nil, name: nil)
      @name = name
      super(message || "#{name} does not exist: check the spelling and the path")
    end
  end

  # The channel, pool, scope or semaphore takes no more work: it was closed or shut down.
  class Closed < Error
  end

  # There is no room now. The caller may wait, drop the item or try again later.
  class Full < Error
    # @return [Integer, nil] the bound that was reached
    attr_reader :limit

    def initialize(message = nil, limit: nil)
      @limit = limit
      super(message || "full: the limit of #{limit} is reached, wait for room or raise the limit")
    end
  end

  # The work was refused by policy, and would be refused again.
  class Rejected < Error
  end

  # The task or future was cancelled, so its result will never come. The *waiting* side gets this;
  # the cancelled side itself is interrupted by {Cancel}.
  class Cancelled < Error
    # @return [Object, nil] the argument of `cancel`
    attr_reader :reason

    def initialize(message = nil, reason: nil)
      @reason = reason
      super(message || "cancelled#{": #{Cancel.describe(reason)}" unless reason.nil?}")
    end
  end

  # A deadline passed.
  class TimeoutError < Error
    # @return [Numeric, nil] the time limit in seconds, as it was given
    attr_reader :seconds

    def initialize(message = nil, seconds: nil)
      @seconds = seconds
      super(message || "not finished within #{seconds} s: give it more time or less work")
    end
  end

  # A worker (process, Ractor or thread) ended without returning its result.
  class WorkerDied < Error
    # @return [Integer, nil] of a worker process
    attr_reader :pid
    # @return [String, nil] the signal that ended it, such as "SIGKILL"
    attr_reader :signal
    # @return [Integer, nil] the exit status, when it was not a signal
    attr_reader :status
    # @return [Object, nil] the item that it was working on
    attr_reader :item
    # @return [Integer, nil] the index of that item in the input
    attr_reader :index

    def initialize(message = nil, pid: nil, signal: nil, status: nil, item: nil, index: nil)
      @pid = pid
      @signal = signal
      @status = status
      @item = item
      @index = index
      super(message || default_message)
    end

    private

    def default_message
      worker = pid ? "worker process #{pid}" : "the worker"
      how = if signal then "was killed by #{signal}"
      elsif status then "exited with status #{status}"
      else "died"
      end
      "#{worker} #{how}#{" while it worked on item #{index}" if index}#{hint}"
    end

    def hint
      return unless signal == "SIGKILL"

      ": look for the kernel's out-of-memory killer (dmesg) or for whoever sent the signal"
    end
  end

  # A block or a value cannot go to another Ractor.
  class NotShareable < Error
    # @return [Symbol, String, nil] the captured variable (or constant) that is in the way
    attr_reader :variable
    # @return [String, nil] "file:line" of the block
    attr_reader :location

    def initialize(message = nil, variable: nil, location: nil)
      @variable = variable
      @location = location
      super(message || default_message)
    end

    private

    def default_message
      "the block#{" at #{location}" if location} uses #{variable || "an object"}, which no other " \
        "Ractor may see: freeze it with Ractor.make_shareable, hand it in as an item, or run it " \
        "on: :processes"
    end
  end

  # Marshal refuses a value (`cause` is its TypeError), so it cannot go to another process.
  class NotDumpable < Error
    # @return [Object, nil] the item whose result could not be dumped
    attr_reader :item
    # @return [Integer, nil] the index of that item in the input
    attr_reader :index

    def initialize(message = nil, item: nil, index: nil)
      @item = item
      @index = index
      super(message ||
        "Marshal cannot dump the result#{" of item #{index}" if index}: return plain data " \
        "(numbers, strings, arrays, hashes, structs), or run it on: :threads")
    end
  end

  # Every fiber waits, and none of them can ever be woken.
  class Deadlock < Error
    # @return [Array<Scheduler::Parked>] the fibers, and what each waits for
    attr_reader :parked

    def initialize(message = nil, parked: [])
      @parked = parked
      super(message || "nothing can ever wake these #{parked.size} fibers again")
    end
  end

  # An optional gem is not installed.
  class MissingDependency < Error
    # @return [String, nil] the name of the gem
    attr_reader :gem_name
    # @return [String, nil] the version requirement
    attr_reader :requirement

    def initialize(message = nil, gem_name: nil, requirement: nil)
      @gem_name = gem_name
      @requirement = requirement
      super(message || "the gem #{gem_name} is missing")
    end
  end

  # Raised *inside* a task, where it waits, when the task is to stop.
  #
  # DO NOT RESCUE THIS IN YOUR TASKS, unless to re-raise it. It is outside of {Error} and of
  # StandardError on purpose: `rescue => error` in a task handles what can go wrong in its work.
  # Clean up in `ensure`; clean-up that must wait goes into Raffia.shield.
  class Cancel < Exception # standard:disable Lint/InheritException
    # @return [Object, nil] the argument of `cancel`: an exception, a string, a symbol
    attr_reader :reason
    # @return [Object, nil] the task, scope or deadline that is being cancelled; it rescues this
    attr_reader :origin

    # A reason in words.
    # @return [String]
    def self.describe(reason)
      reason.is_a?(Exception) ? "#{reason.message} (#{reason.class})" : reason.to_s
    end

    def initialize(reason = nil, origin: nil)
      @reason = reason
      @origin = origin
      super("cancelled#{": #{Cancel.describe(reason)}" unless reason.nil?}")
    end

    # @return [Exception, nil] the reason, when it is an exception
    def cause = reason.is_a?(Exception) ? reason : super
  end

  # Errors that happened beside one that was raised. They travel with it, because only one can be
  # raised.
  module Suppressed
    VARIABLE = :@raffia_suppressed
    private_constant :VARIABLE

    # Adds the others to Exception#full_message.
    module DetailedMessage
      # @param highlight [Boolean]
      # @return [String]
      def detailed_message(highlight: false, **options)
        others = Suppressed.of(self)
        lines = others.map do |error|
          text = error.message.to_s.lines.first.to_s.chomp
          "  #{error.class}: #{text}#{" (#{error.backtrace.first})" if error.backtrace}"
        end
        ["#{super}#{"\nand #{others.size} more:" unless others.empty?}", *lines].join("\n")
      end
    end

    # @return [Exception] `error`, which will be raised
    # @api private
    def self.attach(error, others)
      return error if others.empty? || error.frozen?

      error.instance_variable_set(VARIABLE, others.dup.freeze)
      error.extend(DetailedMessage)
    end

    # @api private
    def self.of(error) = error.instance_variable_get(VARIABLE) || []
  end

  # @param error [Exception] that a scope, a race or a pool raised
  # @return [Array<Exception>] the errors of the other tasks or contestants, in their order
  def self.suppressed(error) = Suppressed.of(error)
end
