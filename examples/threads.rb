# frozen_string_literal: true

# Threads, for C code that lets go of Ruby's lock: zlib compresses on all cores, and 10,000 tasks
# need no 10,000 threads.
#
#     bin/raffia run examples/threads.rb
#
# It prints the sizes, whether all came back as it was, and how many threads there ever were.

require "raffia"
require "zlib"

document = Array.new(20_000) { |i| "line #{i} of a document that compresses well\n" }.join
packed = Raffia.map([document] * 8, on: :threads) do |text|
  Zlib.deflate(text, Zlib::BEST_COMPRESSION)
end
puts "8 documents, #{8 * document.bytesize} bytes, packed into #{packed.sum(&:bytesize)}"
puts "unpacked they are the same: #{packed.all? { |bytes| Zlib.inflate(bytes) == document }}"

# A bounded pool takes any number of tasks: when its queue is full, submit waits.
pool = Raffia::Pool.new(on: :threads, workers: 10, queue: 100)
most = 0
futures = Array.new(10_000) do |i|
  most = [most, Thread.list.size].max
  pool.submit { i * 2 }
end
puts "10,000 tasks, their sum is #{futures.sum(&:value)}, and never more than #{most} threads"
pool.shutdown
