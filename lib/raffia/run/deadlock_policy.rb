# frozen_string_literal: true

module Raffia
  module Run
    # Decides what happens when no fiber of a run can ever resume: raise, report or sleep
    # (docs/adr/0008).
    #
    # @api private
    class DeadlockPolicy
      def initialize(mode)
        @mode = Config::DEADLOCKS.find { |known| known.name == mode.to_s } or
          raise ConfigError, "deadlock: #{mode.inspect} means nothing here: " \
            "use one of #{Config::DEADLOCKS.join(", ")}"
      end

      def off? = @mode == :off

      # Yields the error to be raised, and returns whether to check again. With a signal handler of
      # the program's own it is no deadlock for certain: the fibers may wait for the handler.
      def call(scheduler, parked)
        handled = Signals.handled?
        return if handled && @mode == :raise

        text = describe(scheduler, parked, handled)
        return $stderr.write("raffia: #{text}\n") && nil if @mode == :report

        yield Deadlock.new(text, parked: parked)
        true
      end

      private

      def describe(scheduler, parked, handled)
        fibers = (parked.size == 1) ? "this fiber" : "these #{parked.size} fibers"
        report = Snapshot::Report.new(Snapshot.new([scheduler], parked: parked)).fibers
        "nothing can ever wake #{fibers} again#{", unless a signal handler does" if handled}:\n" \
          "#{report}"
      end
    end
  end
end
