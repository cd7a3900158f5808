# frozen_string_literal: true

# Whether a forked worker is as fast as a program of its own: the CPU seconds that two halves of a piece of work take, in two programs, in two
# plain forks, in two forks of a warmed heap, and in the workers of Raffia.map, which include their fork and their end. Medians of RUNS runs,
# interleaved.
#
#     ruby -Ilib bench/fork_cost.rb            # RUNS=5 ITEMS=24
#
# All of them have Raffia loaded, so all have the same heap to begin with. How fast is the first row's CPU divided by the row's.

require "raffia"

module ForkCost
  RUNS = Integer(ENV.fetch("RUNS", "5"))
  ITEMS = Integer(ENV.fetch("ITEMS", "24"))

  WORKS = {
    squares: ->(item) { (item * 560_000...(item + 1) * 560_000).inject(0) { |sum, n| sum + (n + 60_000_000)**2 } },
    small_objects: ->(item) { Array.new(30_000) { |n| [n, n.to_s, {item: item}] }.size },
    fib: ->(item) { (fib = ->(n) { (n < 2) ? n : fib.call(n - 1) + fib.call(n - 2) }).call(26) }
  }.freeze

  module_function

  def half(work, number) = (number...ITEMS).step(2) { |item| WORKS.fetch(work).call(item) }

  # @return [Float] CPU seconds of this process for one half
  def cost(work, number)
    before = cpu
    half(work, number)
    cpu - before
  end

  def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

  def programs(work)
    pipes = Array.new(2) { |number| IO.popen([RbConfig.ruby, *("--yjit" if yjit?), "-W0", "-I", *$LOAD_PATH.first, __FILE__, "half", work.to_s, number.to_s]) }
    pipes.sum { |pipe| Float(pipe.read).tap { pipe.close } }
  end

  def forks(work)
    pipes = Array.new(2) do |number|
      reader, writer = IO.pipe
      fork do
        writer.write(cost(work, number).to_s)
        exit!
      end
      writer.close
      reader
    end
    pipes.sum { |pipe| Float(pipe.read).tap { pipe.close } }.tap { Process.waitall }
  end

  def warmed_forks(work)
    Process.warmup
    forks(work)
  end

  def raffia(work)
    before = Process.times
    Raffia.map((0...ITEMS).to_a, on: :processes, workers: 2, &WORKS.fetch(work))
    after = Process.times
    (after.cutime + after.cstime) - (before.cutime + before.cstime)
  end

  def yjit? = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?

  WAYS = %i[programs forks warmed_forks raffia].freeze

  # Each run is a program, because a heap that was warmed stays warm.
  def measure(work)
    times = WAYS.to_h { |way| [way, []] }
    RUNS.times do
      WAYS.shuffle.each do |way|
        command = [RbConfig.ruby, *("--yjit" if yjit?), "-W0", "-I", *$LOAD_PATH.first, __FILE__, way.to_s, work.to_s]
        times[way] << Float(IO.popen(command, &:read))
      end
    end
    times.transform_values { |all| all.sort[all.size / 2] }
  end

  def report
    puts "#{RUBY_DESCRIPTION}, #{Raffia::Pool::Cpus.count} processors, #{ITEMS} items, #{RUNS} runs"
    WORKS.each_key do |work|
      medians = measure(work)
      puts "", work
      medians.each { |way, seconds| puts format("  %-14s %6.3f s   %.2f", way, seconds, medians[:programs] / seconds) }
    end
  end
end

way, work, number = ARGV
case way
when nil then ForkCost.report
when "half" then puts ForkCost.cost(work.to_sym, Integer(number))
else puts ForkCost.public_send(way, work.to_sym)
end
