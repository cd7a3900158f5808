# frozen_string_literal: true

# An endless input, and memory that stays where it is: the reader waits when the workers do not keep
# up.
#
#     bin/raffia run examples/pool_backpressure.rb
#
# It prints what was found and how much was read for it; then what a full pool has done, refused and
# kept waiting.

require "raffia"

read = 0
numbers = Enumerator.new { |out| out << (read += 1) while true }

found = Raffia.find_any(numbers, on: :threads, workers: 4, limit: 16) do |n|
  sleep 0.001 # what a worker does with it
  n > 500 && n.digits.sum == 10
end
puts "found #{found}, after reading #{read} numbers"

begin
  Raffia.each(numbers, on: :threads, timeout: 0.2) { |n| sleep 0.001 }
rescue Raffia::TimeoutError => e
  puts "stopped: #{e.message}"
end

# A pool that stays, with a queue of its own: here what finds it full is refused, rather than kept
# waiting.
pool = Raffia::Pool.new(on: :threads, workers: 2, queue: 5, overflow: :reject)
refused = 100.times.count do
  pool.submit { sleep 0.01 }
  false
rescue Raffia::Full
  true
end
pool.shutdown
puts "#{pool.stats[:done]} done, #{refused} refused, never more than " \
  "#{pool.stats[:most_waiting]} waiting"
