# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  # Runs the block for each contestant at the same time and returns the first value. The others are
  # cancelled, and have ended when this returns. A contestant that fails is out of the race. If a
  # loser fails in its clean-up (in an `ensure`), that is reported on stderr.
  #
  #   Raffia.race(mirrors) { |mirror| fetch(mirror) }
  #   Raffia.race([-> { cache.get(key) }, -> { database.get(key) }])
  #
  # @param contestants [Enumerable] passed to the block; without a block they are called
  # @return [Object]
  # @raise [StandardError] when all have failed: the first error; the others are in
  #   `Raffia.suppressed(error)`
  # @raise [Cancelled] when all were cancelled one by one
  # @raise [ConfigError] without contestants
  def self.race(contestants, &block)
    runners = contestants.map { |contestant| block ? -> { block.call(contestant) } : contestant }
    raise ConfigError, "race needs at least one contestant" if runners.empty?

    won, result = Race.new(runners).run
    return result if won

    first, *others = result
    raise Suppressed.attach(first ||
      Cancelled.new("all contestants of the race were cancelled"), others)
  end

  # @api private
  class Race
    def initialize(runners)
      @runners = runners
      @errors = []
      @running = runners.size
    end

    # True and the winner's value, or false and the errors.
    def run
      Scope.open do |scope|
        @finish = Waiter.new
        @runners.each { |runner| scope.spawn { start(runner) } unless @finish.settled? }
        result = @finish.wait
        scope.cancel("another contestant has won the race")
        result
      end
    end

    private

    def start(runner)
      @finish.settle([true, runner.call])
    rescue => error
      @errors << error
      report(error) if @finish.settled? && clean_up?(error)
    ensure
      # Also one that was cancelled by itself is out.
      @running -= 1
      @finish.settle([false, @errors]) if @running.zero?
    end

    # Whether it was raised on the way out of a cancelled contestant.
    def clean_up?(error)
      error = error.cause until error.nil? || error.is_a?(Cancel)
      !error.nil?
    end

    def report(error)
      Kernel.warn("raffia: a contestant that had lost a race failed to clean up: " \
        "#{error.full_message(highlight: false)}")
    end
  end
end
