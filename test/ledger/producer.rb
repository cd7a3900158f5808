# frozen_string_literal: true

# Keeps jobs, singly and many at once, and notes those whose keeping was acknowledged: producer.rb
# COUNT SEED NAP. At least so many, and then until its input ends.

require "io/wait"
require_relative "jobs"

left, seed = ARGV.first(2).map { |text| Integer(text) }
nap = Float(ARGV[2])
random = Random.new(seed)

# A store that is away comes back. A failed call may or may not have kept its jobs, so they are not
# counted.
def insist
  yield
rescue Raffia::Jobs::StoreUnavailable
  sleep(0.05)
  retry
end

kinds = Ledger::Job::KINDS
rare = kinds - %w[quick sleep]
until left <= 0 && $stdin.wait_readable(0)
  kind = ->(_) {
    (random.rand < 0.1) ? rare.sample(random: random) : kinds.first(2).sample(random: random)
  }
  size = (random.rand < 0.3) ? 1 : random.rand(2..200)
  jids = insist do
    next [Ledger::Job.perform_async(kind[0], left)] if size == 1
    if random.rand < 0.1
      next Ledger::Job.perform_bulk(Array.new(size) { |n| [kind[n], left - n] }, spread: 1)
    end

    Ledger::Job.perform_bulk(Array.new(size) { |n| [kind[n], left - n] })
  end
  Ledger::HISTORY.note(:kept, jids)
  left -= size
  sleep(random.rand(2 * nap))
end
