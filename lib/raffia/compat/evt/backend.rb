# frozen_string_literal: true

module Evt
  # Class methods of evt's schedulers that {Raffia::Scheduler}s lack.
  #
  # @api private
  module Backend
    # Raises Raffia::ConfigError when the back end does not work here.
    def new = super(backend: const_get(:ENGINE))

    # Probed once in a process, because the kernel or a container may refuse it.
    def available?
      Raffia::Engine.probe.any? { |found| found[:name] == const_get(:ENGINE) && found[:ok] }
    end

    def backend = const_get(:NAME)

    # Methods of evt's instances that are no hooks of Ruby's. They return copies; evt returns the
    # scheduler's own state.
    module Instance
      # evt's longest sleep in milliseconds.
      MAXIMUM_TIMEOUT = 5000

      # Seconds on the clock of {#waiting}.
      def current_time = Raffia::Clock.now

      # IOs and the fibers that wait to read them.
      def readable = waiting_for("readable")

      # IOs and the fibers that wait to write to them.
      def writable = waiting_for("writable")

      # Fibers that wait with a time limit, and the times at which their waits end.
      def waiting
        now = current_time
        parked(frames: 0).filter_map { |one| [one.fiber, now - one.age + one.limit] if one.limit }
          .to_h
      end

      # Milliseconds until the first of these times.
      def next_timeout
        first = waiting.values.min or return MAXIMUM_TIMEOUT
        ((first - current_time) * 1000).clamp(0, MAXIMUM_TIMEOUT)
      end

      # Has nothing to do: a closed IO wakes its waiters at once.
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
