# frozen_string_literal: true

# Keeps jobs of all kinds, and notes those whose keeping was acknowledged: producer.rb COUNT SEED
# NAP REST. At least so many with naps of about NAP seconds, and then more with a REST after each,
# until its input ends.

require "io/wait"
require_relative "jobs"

left, seed = ARGV.first(2).map { |text| Integer(text) }
nap, rest = ARGV.last(2).map { |text| Float(text) }
random = Random.new(seed)
loads = Ledger::Loads.all(Raffia::Jobs.store)
calls = loads.flat_map { |load| [load] * load::SHARE }

until left <= 0 && $stdin.wait_readable(0)
  left -= calls.sample(random: random).produce(random, left)
  sleep(left.positive? ? random.rand(2 * nap) : rest)
end
