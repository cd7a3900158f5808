# frozen_string_literal: true

# Whether a forked worker is as fast as a program of its own: two halves of the lab's `squares` and
# `mailer` (without its SMTP), in two programs that wait for the word to begin, in two plain forks,
# in two forks of a warmed heap, and by Raffia.map, whose fork and end are counted. Seconds from the
# beginning to the last result, and CPU seconds of the workers; medians of RUNS runs, interleaved.
#
#     ruby -Ilib bench/fork_cost.rb            # RUNS=5 SCALE=1.0
#
# All of them have Raffia and the lab loaded, so all have the same heap to begin with. How fast is
# the first row's time divided by the row's.

require "raffia"
require "raffia/lab"

module ForkCost
  RUNS = Integer(ENV.fetch("RUNS", "5"))
  SCALE = Float(ENV.fetch("SCALE", "1"))

  # name => the items, and what is done with one
  WORKS = {
    squares: [-> {
      Raffia::Lab::Squares.split((Raffia::Lab::Squares::LIMIT * SCALE).round,
        Raffia::Lab::Squares::PARTS)
    },
      ->(range) { Raffia::Lab::Squares.sum(range) }],
    mailer: [-> { (0...(Raffia::Lab::Mailer::MAILS * SCALE).ceil).to_a },
      ->(index) { Raffia::Lab::Mailer.write(index, 30, Raffia::Lab::Mailer.fib(30)).to_s.size }]
  }.freeze
  # CPU and elapsed seconds.
  Cost = Struct.new(:cpu, :wall)

  module_function

  # @return [Array] the items of one half, each second one
  def half(work, number)
    WORKS.fetch(work).first.call.each_slice(2).filter_map { |pair| pair[number] }
  end

  def block(work) = WORKS.fetch(work).last

  # Two workers, each with a pipe to say go and one for its CPU seconds.
  def pair
    starts, gates = Array.new(2) { IO.pipe }.transpose
    workers = starts.each_with_index.map { |start, number| yield(start, number) }
    workers.each(&:gets) # ready
    began = now
    gates.each { |gate| gate.puts "go" }
    cpu = workers.sum { |pipe| Float(pipe.gets) }
    Cost.new(cpu, now - began)
  ensure
    workers&.each(&:close)
    gates.each(&:close)
  end

  # In a worker.
  def serve(work, number, start, out)
    items = half(work, number)
    out.puts "ready"
    out.flush
    start.gets
    before = cpu
    items.each(&block(work))
    out.puts cpu - before
    out.flush
  end

  def programs(work)
    pair { |start, number| IO.popen(command("half", work.to_s, number.to_s), in: start) }
  end

  def forks(work)
    pair do |start, number|
      reader, writer = IO.pipe
      fork do
        serve(work, number, start, writer)
        exit!
      end
      writer.close
      reader
    end
  ensure
    Process.waitall
  end

  def warmed_forks(work)
    Process.warmup
    forks(work)
  end

  def raffia(work)
    items = WORKS.fetch(work).first.call
    began = now
    before = Process.times
    Raffia.map(items, on: :processes, workers: 2, &block(work))
    after = Process.times
    Cost.new((after.cutime + after.cstime) - (before.cutime + before.cstime), now - began)
  end

  def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

  def now = Raffia::Clock.now

  def yjit? = defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?

  def command(*arguments)
    [RbConfig.ruby, *("--yjit" if yjit?), "-W0", "-I", $LOAD_PATH.first, __FILE__, *arguments]
  end

  WAYS = %i[programs forks warmed_forks raffia].freeze

  # Each run is a program, because a heap that was warmed stays warm.
  def measure(work)
    costs = WAYS.to_h { |way| [way, []] }
    RUNS.times do
      WAYS.shuffle.each do |way|
        costs[way] << Cost.new(*IO.popen(command(way.to_s, work.to_s), &:read).split.map(&:to_f))
      end
    end
    costs.transform_values do |all|
      Cost.new(*Cost.members.map { |name| Raffia::Lab::Statistics.median(all.map(&name)) })
    end
  end

  def report
    puts "#{RUBY_DESCRIPTION}, #{Raffia::Executor::Cpus.count} processors, scale #{SCALE}, " \
      "#{RUNS} runs"
    WORKS.each_key do |work|
      medians = measure(work)
      puts "", format("%-14s %9s %7s %9s %7s", work, "seconds", "", "CPU", "")
      medians.each do |way, cost|
        puts format("  %-12s %9.3f %7.2f %9.3f %7.2f", way, cost.wall,
          medians[:programs].wall / cost.wall, cost.cpu, medians[:programs].cpu / cost.cpu)
      end
    end
  end
end

way, work, number = ARGV
case way
when nil then ForkCost.report
when "half" then ForkCost.serve(work.to_sym, Integer(number), $stdin, $stdout)
else puts ForkCost.public_send(way, work.to_sym).to_a.join(" ")
end
