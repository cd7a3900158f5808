# frozen_string_literal: true

require "timeout"
require_relative "../workload"

module EngineBench
  # A storm of timers: half of them run out (a sleep of up to 20 ms), half are cancelled, because
  # what they limit comes in time (a pop with a timeout that is served). Fibers work in pairs, ten
  # timers for each.
  class Storm < Workload
    LIMIT = 30
    ROUNDS = 5
    TIMERS = ROUNDS * 2 * 2 # of a pair

    private

    def call(count)
      (count / TIMERS).times do |pair|
        here, there = Thread::Queue.new, Thread::Queue.new
        spawn { ROUNDS.times { |round| rest(pair, round) && exchange(here, there) } }
        spawn { ROUNDS.times { |round| rest(pair, round) && exchange(there, here) } }
      end
    end

    def rest(pair, round)
      sleep(((pair * 7 + round * 11) % 20 + 1) / 1000.0)
      @right += 1
    end

    def exchange(mine, other)
      other << true
      @right += 1 if mine.pop(timeout: LIMIT)
    end
  end

  # Timeout.timeout around something that is over in time, fifty times in each fiber.
  class Timeouts < Workload
    LIMIT = 30
    ROUNDS = 50

    private

    def call(count)
      (count / ROUNDS).times do
        spawn { ROUNDS.times { Timeout.timeout(LIMIT) { sleep(0) } && @right += 1 } }
      end
    end
  end

  # Many sleep at once, each for a time of its own: 20,000 of them for up to a second, fewer for
  # less.
  class Sleepers < Workload
    RATE = 20_000.0

    private

    def call(count)
      count.times do |i|
        spawn do
          sleep(i * 7919 % count / RATE)
          @right += 1
        end
      end
    end
  end
end
