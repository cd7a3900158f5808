# frozen_string_literal: true

# What handing an item to a worker costs: the time of a call over trivial items, divided by their number; and the time of a call
# with two items, which is nearly all overhead. Medians of RUNS runs, interleaved, in microseconds.
#
#     ruby -Ilib bench/pool_overhead.rb            # RUNS=7 ITEMS=20000 WORKERS=2
#
# The gems parallel and concurrent-ruby are measured beside ours where they are installed; nothing here needs them. Times are of this machine
# and this hour. Only what stands in one table was measured together, and may be compared.
#
# A result (2 vCPU, Ruby 3.4.5 without YJIT, parallel 2.3.0, concurrent-ruby 1.3.8) is in bench/results/pool_overhead.txt.

require "raffia/pool"

module PoolOverhead
  RUNS = Integer(ENV.fetch("RUNS", "7"))
  ITEMS = Integer(ENV.fetch("ITEMS", "20000"))
  WORKERS = Integer(ENV.fetch("WORKERS", "2"))
  BLOCK = ->(n) { n + 1 }
  WANT = (1..ITEMS).map(&BLOCK)

  # name:: what it is
  # call:: takes items, returns results
  Target = Struct.new(:name, :call)

  module_function

  def optional(gem)
    require gem
    yield
  rescue LoadError
    puts "(the gem #{gem} is not installed, so it is not in the tables)"
    []
  end

  def calls
    ours = %i[inline threads processes].map { |on| Target.new("Raffia.map on: :#{on}", ->(items) { Raffia.map(items, on: on, workers: WORKERS, &BLOCK) }) }
    theirs = optional("parallel") do
      [Target.new("Parallel.map in_threads", ->(items) { Parallel.map(items, in_threads: WORKERS, &BLOCK) }),
        Target.new("Parallel.map in_processes", ->(items) { Parallel.map(items, in_processes: WORKERS, &BLOCK) })]
    end
    ours + theirs
  end

  def pools
    ours = %i[threads processes].map do |on|
      pool = Raffia::Pool.new(on: on, workers: WORKERS, &BLOCK)
      Target.new("Raffia::Pool#map on: :#{on}", ->(items) { pool.map(items) })
    end
    theirs = optional("concurrent") do
      pool = Concurrent::FixedThreadPool.new(WORKERS)
      [Target.new("Promises on a FixedThreadPool", ->(items) { items.map { |n| Concurrent::Promises.future_on(pool, n, &BLOCK) }.map(&:value!) })]
    end
    ours + theirs
  end

  # @return [Hash] name => median microseconds
  def measure(targets, items, repeat, per)
    times = targets.to_h { |target| [target.name, []] }
    targets.each { |target| raise "#{target.name} is wrong" unless target.call.call(items) == WANT.first(items.size) }
    RUNS.times do
      targets.shuffle.each do |target|
        _, seconds = Raffia::Clock.measure { repeat.times { target.call.call(items) } }
        times[target.name] << seconds * 1e6 / (repeat * per)
      end
    end
    times.transform_values { |all| all.sort[all.size / 2] }
  end

  def table(title, medians)
    puts "", title
    medians.each { |name, median| puts format("  %-32s %10.2f us", name, median) }
  end

  def run
    puts "#{RUBY_DESCRIPTION}, #{Raffia::Pool::Cpus.count} processors, #{WORKERS} workers, #{RUNS} runs"
    items = (1..ITEMS).to_a
    table("one call, #{ITEMS} trivial items: per item", measure(calls, items, 1, ITEMS))
    table("one call, two items: per call", measure(calls, [1, 2], 20, 1))
    warm = pools
    table("workers that are there already, #{ITEMS} trivial items: per item", measure(warm, items, 1, ITEMS))
    table("workers that are there already, two items: per call", measure(warm, [1, 2], 200, 1))
  end
end

PoolOverhead.run
