# frozen_string_literal: true

require_relative "work"

module JobsBench
  # Jobs that come when they come: at a rate, with pauses by chance, the same ones each time.
  class Pace
    def initialize(rate) = @rate = rate

    # @param numbers [Enumerable<Integer>]
    # @yieldparam number [Integer]
    # @yieldparam due [Float] when it should have been enqueued: a latency begins there, also where
    #   enqueuing takes too long
    def call(numbers)
      random = Random.new(1)
      due = Work.now
      numbers.each do |number|
        due -= Math.log(1 - random.rand) / @rate
        rest = due - Work.now
        sleep(rest) if rest.positive?
        yield number, due
      end
    end
  end
end
