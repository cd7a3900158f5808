# frozen_string_literal: true

# Processes, for Ruby code that computes: every core works, any block will do, and a worker that
# dies takes nothing with it.
#
#     bin/raffia run examples/processes.rb
#
# It prints what was computed, that none of it was computed here, and who died of what.

require "raffia"

def fib(n) = (n < 2) ? n : fib(n - 1) + fib(n - 2)

results = Raffia.map([22] * 20, on: :processes) { |n| [fib(n), Process.pid] }
puts "fib(22) is #{results.map(&:first).uniq.join}, 20 times"
puts "computed here: #{results.map(&:last).include?(Process.pid)}"

# A worker that is killed: the error says which one, how, and what it was working on.
begin
  Raffia.map(%w[harmless deadly], on: :processes, workers: 1, chunk: 1) do |item|
    Process.kill(:KILL, Process.pid) if item == "deadly"
    item
  end
rescue Raffia::WorkerDied => e
  puts "a worker died of #{e.signal} on #{e.item}"
end
