# frozen_string_literal: true

module Raffia
  # Root of everything that a user of Raffia may rescue. Leaves are named by what the caller can do
  # about them; what happened to which object is readable as data, and a wrapped error stays
  # reachable as `cause`.
  class Error < StandardError
  end

  # A bad argument, option or environment variable. The message names the value and lists what would
  # be valid.
  class ConfigError < Error
  end

  # Something that was named does not exist: a script, a file, an experiment.
  class NotFound < Error
    # @return [String, nil] what was looked for
    attr_reader :name

    def initialize(message = nil, name: nil)
      @name = name
      super(message || "#{name} does not exist: check the spelling and the path")
    end
  end

  # The channel, pool, scope or semaphore takes no more work because it was closed or shut down.
  class Closed < Error
  end

  # There is no room now; the caller may wait, drop the item or try again later.
  class Full < Error
    # @return [Integer, nil] the bound that was reached
    attr_reader :limit

    def initialize(message = nil, limit: nil)
      @limit = limit
      super(message || "full: the limit of #{limit} is reached, wait for room or raise the limit")
    end
  end

  # The work was refused by policy, and trying again at once would be refused again.
  class Rejected < Error
  end

  # The result will never come because the task or future was cancelled. This is what the *waiting*
  # side gets; the cancelled side itself is interrupted by {Cancel}.
  class Cancelled < Error
    # @return [Object, nil] what was handed to `cancel`
    attr_reader :reason

    def initialize(message = nil, reason: nil)
      @reason = reason
      super(message || "cancelled#{": #{Cancel.describe(reason)}" unless reason.nil?}")
    end
  end

  # A deadline passed.
  class TimeoutError < Error
    # @return [Float, Integer, nil] the time limit in seconds, as it was given
    attr_reader :seconds

    def initialize(message = nil, seconds: nil)
      @seconds = seconds
      super(message || "not finished within #{seconds} s: give it more time or less work")
    end
  end

  # A worker (process, Ractor or thread) ended without handing back its result.
  class WorkerDied < Error
    # @return [Integer, nil] the pid of a worker process
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
      who = pid ? "worker process #{pid}" : "the worker"
      how = if signal then "was killed by #{signal}"
      elsif status then "exited with status #{status}"
      else "died"
      end
      "#{who} #{how}#{" while it worked on item #{index}" if index}#{hint}"
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
      "Ractor may see: " \
        "freeze it with Ractor.make_shareable, hand it in as an item, or run it on: :processes"
    end
  end

  # A value cannot cross to another process because Marshal refuses it (the original TypeError is
  # the `cause`).
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

  # Every fiber waits for another one, or for something that nobody is left to do.
  class Deadlock < Error
    # @return [Array<Scheduler::Parked>] who waits for what
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

  # Raised *inside* a task, at the point where it waits, when the task is to stop.
  #
  # DO NOT RESCUE THIS IN YOUR TASKS, unless to re-raise it. It is outside of {Error}, and of
  # StandardError, on purpose: a task's own `rescue => error` handles what can go wrong in its work,
  # and being told to stop is not that. Clean up in `ensure`; clean-up that must wait goes into
  # Raffia.shield.
  class Cancel < Exception # standard:disable Lint/InheritException
    # @return [Object, nil] why: whatever was handed to `cancel` (an exception, a string, a symbol)
    attr_reader :reason
    # @return [Object, nil] the task, scope or deadline that is being cancelled; it ends this
    #   exception's way up
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
    def cause
      reason.is_a?(Exception) ? reason : super
    end
  end

  # The errors that happened beside one that was raised. They travel with it, since only one can be
  # raised.
  module Suppressed
    VARIABLE = :@raffia_suppressed
    private_constant :VARIABLE

    # Makes an error tell of the others where it is printed (Exception#full_message).
    module DetailedMessage
      # @param highlight [Boolean]
      # @return [String]
      def detailed_message(highlight: false, **options)
        others = Suppressed.of(self)
        lines = others.map do |error|
          "  #{error.class}: " \
            "#{error.message.to_s.lines.first.to_s.chomp}#{" (#{error.backtrace.first})" if error.backtrace}"
        end
        ["#{super}#{"\nand #{others.size} more:" unless others.empty?}", *lines].join("\n")
      end
    end

    # @param error [Exception] the one that will be raised
    # @param others [Array<Exception>]
    # @return [Exception] `error`
    # @api private
    def self.attach(error, others)
      return error if others.empty? || error.frozen?

      error.instance_variable_set(VARIABLE, others.dup.freeze)
      error.extend(DetailedMessage)
    end

    # @api private
    def self.of(error) = error.instance_variable_get(VARIABLE) || []
  end

  # @param error [Exception] what a scope, a race or a pool raised
  # @return [Array<Exception>] the errors of the other tasks or contestants, in their order
  def self.suppressed(error) = Suppressed.of(error)
end
