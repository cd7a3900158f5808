# frozen_string_literal: true

module Evt
  # What evt's classes answer to, and {Raffia::Scheduler}'s do not.
  #
  # @api private
  module Backend
    # @return [Raffia::Scheduler] of this back end
    # @raise [Raffia::ConfigError] when it does not work here
    def new = super(backend: const_get(:ENGINE))

    # Tried out, once in a process: the kernel or a container may refuse it.
    # @return [Boolean]
    def available?
      Raffia::Engine.probe.any? { |found| found[:name] == const_get(:ENGINE) && found[:ok] }
    end

    # @return [String] what evt calls it
    def backend = const_get(:NAME)

    # The methods of an instance that are no hooks of Ruby's. What they give is a copy: in evt it is
    # the scheduler's own state, and changing that was never a good idea.
    module Instance
      # In evt, the longest time in milliseconds that it sleeps without looking.
      MAXIMUM_TIMEOUT = 5000

      # @return [Float] seconds of the clock that {#waiting} counts in
      def current_time = Raffia::Clock.now

      # @return [Hash{IO => Fiber}] who waits to read
      def readable = waiting_for("readable")

      # @return [Hash{IO => Fiber}] who waits to write
      def writable = waiting_for("writable")

      # @return [Hash{Fiber => Float}] who waits for a time at the longest, and until when
      def waiting
        now = current_time
        parked(frames: 0).filter_map { |one| [one.fiber, now - one.age + one.limit] if one.limit }
          .to_h
      end

      # @return [Numeric] milliseconds until the first of them
      def next_timeout
        first = waiting.values.min or return MAXIMUM_TIMEOUT
        ((first - current_time) * 1000).clamp(0, MAXIMUM_TIMEOUT)
      end

      # What is closed needs no collecting here: whoever waits for it is told at once.
      # @return [void]
      def collect(_force = false) = nil

      private

      def waiting_for(direction)
        parked(frames: 0).filter_map { |one|
          [one.subject, one.fiber] if one.reason == :io && one.what[/\A[^:]*/].include?(direction)
        }.to_h
      end
    end
  end
end
