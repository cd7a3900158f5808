# frozen_string_literal: true

# Keeps jobs of all kinds, and notes those whose keeping was acknowledged: producer.rb COUNT SEED
# NAP. At least so many, and then until its input ends.

require "io/wait"
require_relative "jobs"

left, seed = ARGV.first(2).map { |text| Integer(text) }
nap = Float(ARGV[2])
random = Random.new(seed)
loads = Ledger::Loads.all(Raffia::Jobs.store)
calls = loads.flat_map { |load| [load] * load::SHARE }

until left <= 0 && $stdin.wait_readable(0)
  left -= calls.sample(random: random).produce(random, left)
  # The last faults meet some calls, and no backlog.
  sleep(left.positive? ? random.rand(2 * nap) : 0.5)
end
