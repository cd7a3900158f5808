# frozen_string_literal: true

# A cache that two threads fill at once: the simulation finds the order in which both of them ask
# the slow source, and shows it. Then an hour passes while nobody waits.
#
#     bin/raffia run examples/simulation.rb
#
# It prints
#
#     fetch: asked 2 times
#     fetch_once: nil in 500 runs
#     an hour later it is 1 o'clock: 3600.0 s

require "raffia/simulation"

class Cache
  def initialize(&source)
    @source = source
    @values = {}
    @lock = Mutex.new
  end

  def fetch(key) = @values[key] || store(key, @source.call(key))

  # Asks once for each key.
  def fetch_once(key) = @lock.synchronize { fetch(key) }

  private

  def store(key, value) = @values[key] = value
end

def explore(method)
  Raffia::Simulation.explore(runs: 500, seed: 7) do
    asked = 0
    cache = Cache.new do |key|
      asked += 1
      sleep(0.1)
      key.to_s
    end
    2.times.map { Thread.new { cache.public_send(method, :a) } }.each(&:join)
    raise "asked #{asked} times" unless asked == 1
  end
end

puts "fetch: #{explore(:fetch).failure.error.message}"
puts "fetch_once: #{explore(:fetch_once).failure.inspect} in #{explore(:fetch_once).runs} runs"

Raffia::Simulation.run do |sim|
  cache = Cache.new { |_| sleep(3600) && Time.now.utc.hour }
  puts "an hour later it is #{cache.fetch(:time)} o'clock: #{sim.now} s"
end
