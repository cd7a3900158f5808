# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  class Pool
    # The keywords of Raffia.map, its sisters and Raffia::Pool.new, checked. What is wrong is said
    # before anything is started. What means nothing on a strategy (a limit of memory, on threads)
    # is checked all the same, and then changes nothing.
    #
    # @!attribute [r] workers
    #   @return [Integer, nil] how many items are worked on at once
    # @!attribute [r] limit
    #   @return [Integer, nil] how many items may be taken from the input ahead of their results
    # @!attribute [r] chunk
    #   @return [Integer, nil] how many items travel together; nil measures and decides
    # @!attribute [r] timeout
    #   @return [Numeric, nil] seconds for the whole call
    # @!attribute [r] progress
    #   @return [Boolean, String] a String is the title
    # @!attribute [r] item_timeout
    #   @return [Numeric, nil] seconds for each attempt at each item
    # @!attribute [r] retries
    #   @return [Integer] how many further attempts an item gets after the first
    # @!attribute [r] backoff
    #   @return [Numeric, #call] seconds before the second attempt, as Raffia.retry has it
    # @!attribute [r] retry_on
    #   @return [Class, Module, Array] the errors to try again on
    # @!attribute [r] max_tasks
    #   @return [Integer, nil] items after which a worker process is replaced
    # @!attribute [r] max_memory
    #   @return [Integer, nil] bytes beyond which a worker process is replaced
    # @!attribute [r] max_age
    #   @return [Numeric, nil] seconds after which a worker process is replaced
    # @!attribute [r] move
    #   @return [Boolean] whether items are moved into Ractors rather than copied
    # @!attribute [r] explain
    #   @return [Boolean] whether +:auto+ says why it chose what it chose
    #
    # @api private
    Options = Data.define(:workers, :limit, :chunk, :timeout, :progress, :item_timeout, :retries,
      :backoff, :retry_on,
      :max_tasks, :max_memory, :max_age, :move, :explain) do
      def initialize(workers: nil, limit: nil, chunk: nil, timeout: nil, progress: false,
        item_timeout: nil, retries: 0,
        backoff: 0.1, retry_on: StandardError, max_tasks: nil, max_memory: nil, max_age: nil,
        move: false, explain: false)
        {workers:, limit:, chunk:, max_tasks:, max_memory:}.each do |name, value|
          Check.count(name, value)
        end
        {timeout:, item_timeout:, max_age:}.each { |name, value| Check.seconds(name, value) }
        Check.retries(retries, backoff, retry_on)
        super
      end

      # Those of a pool that stays.
      # @raise [ArgumentError] for what belongs to a single call
      def self.standing(**keywords)
        foreign = keywords.keys & %i[limit chunk timeout progress explain]
        unknown = keywords.keys - members + foreign
        return new(**keywords) if unknown.empty?

        words = "unknown keyword#{"s" if unknown.size > 1}: #{unknown.map(&:inspect).join(", ")}"
        if foreign.any?
          words <<
            " (a single call, such as Raffia.map, takes " \
              "#{foreign.map { |name| "#{name}:" }.join(", ")})"
        end
        raise ArgumentError, words
      end
    end

    # Sentences for arguments that cannot be meant.
    #
    # @api private
    module Check
      module_function

      def count(name, value)
        return if value.nil? || (value.is_a?(Integer) && value.positive?)

        raise ConfigError, "#{name}: #{value.inspect} is not a count: give a whole number from 1 " \
          "up, or leave it out"
      end

      def seconds(name, value)
        return if value.nil? || time?(value)

        raise ConfigError, "#{name}: #{value.inspect} is not a time: give seconds from 0 up, or " \
          "leave it out for no limit"
      end

      # @param work [#call, nil]
      # @return [Proc, nil] it, or the block
      def work(work, block)
        return block unless work
        raise ConfigError, "the work was given twice: as work: and as a block" if block
        return work.to_proc if work.respond_to?(:to_proc)
        return work.method(:call).to_proc if work.respond_to?(:call)

        raise ConfigError, "work: #{work.inspect} cannot be called: give a Proc, a Method or " \
          "anything else that has #call"
      end

      def block(name, block)
        return if block

        raise ConfigError, "#{name} was called without a block: give it the work, as in " \
          "#{name}(items) { |item| ... }"
      end

      # Ruby 3.3 and 3.4 lose wake-ups when several Ractors have threads of their own: a few lines
      # of plain Ruby hang.
      def place(name, crew)
        if !defined?(::Ractor) || ::Ractor.current.equal?(::Ractor.main) ||
            ![ThreadCrew, FiberHost].include?(crew)
          return
        end

        raise ConfigError,
          "on: #{name.inspect} needs threads, and inside of a Ractor these can hang for ever: " \
          "use on: :inline or " \
          "on: :fibers there, or take the outer call to on: :processes"
      end

      def retries(times, backoff, classes)
        unless times.is_a?(Integer) && times >= 0
          raise ConfigError, "retries: #{times.inspect} is not a number of further attempts: " \
            "give a whole number from 0 up"
        end
        unless time?(backoff) || backoff.respond_to?(:call)
          raise ConfigError,
            "backoff: #{backoff.inspect} is not a pause: give seconds from 0 up, or what gives " \
            "them for the number " \
            "of the attempt that failed"
        end
        return if Array(classes).all?(Module)

        raise ConfigError, "retry_on: #{classes.inspect} is not a class of errors: give one, or " \
          "an Array of them"
      end

      def time?(value) = value.is_a?(Numeric) && value.real? && value >= 0
    end
  end
end
