# frozen_string_literal: true

module TestSupport
  # Ends a run that hangs, and shows where: in a suite about concurrency a hang is the likeliest way
  # to fail, and without this it says nothing. RAFFIA_TEST_LIMIT sets the seconds that one test may
  # take; 0 turns it off.
  class Watchdog
    LIMIT = Float(ENV.fetch("RAFFIA_TEST_LIMIT", "180"))

    def initialize(limit = LIMIT)
      @limit = limit
      @tests = Thread::Queue.new
      Thread.new { watch }.name = "watchdog of the tests" if limit > 0
    end

    # A test begins.
    # @param name [String]
    def begin(name) = @tests << name

    # It ended.
    def end = @tests << :none

    private

    def watch
      running = :none
      loop do
        seen = @tests.pop(timeout: (running == :none) ? nil : @limit)
        bark(running) unless seen
        running = seen
      end
    end

    def bark(name)
      warn "\n#{name} is not done after #{@limit} s. Where each thread is:"
      Thread.list.each { |thread| warn "#{thread.inspect}\n  #{thread.backtrace&.join("\n  ")}" }
      ::Process.exit!(70)
    end
  end

  WATCHDOG = Watchdog.new
end
