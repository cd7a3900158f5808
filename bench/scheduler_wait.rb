# frozen_string_literal: true

# What a wait in a fiber costs: pairs of fibers throw a byte to and fro over socket pairs. Each throw is a write, a switch, a wait
# for readiness and a read. The figure is the CPU time of the process for one throw, and for ours the engine's system calls.
#
#     ruby -Ilib bench/scheduler_wait.rb           # RUNS=5 PAIRS=50 THROWS=1000
#
# Every run is a process of its own; targets are shuffled in each round; medians, with the smallest and the largest. async is
# measured beside ours where the gem is installed. A result is in bench/results/scheduler_wait.txt.

require "json"
require "rbconfig"
require "socket"

module SchedulerWait
  PAIRS = Integer(ENV.fetch("PAIRS", "50"))
  THROWS = Integer(ENV.fetch("THROWS", "1000"))
  RUNS = Integer(ENV.fetch("RUNS", "5"))
  OURS = %w[uring epoll poll select].freeze

  # The child: one target, one run.
  module Run
    module_function

    def call(target)
      scheduler = make(target)
      Fiber.set_scheduler(scheduler)
      PAIRS.times { pair }
      before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      scheduler.run
      seconds = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
      syscalls = scheduler.stats[:syscalls] if target != "async"
      puts JSON.generate(us: seconds * 1e6 / throws, syscalls: syscalls && syscalls.fdiv(throws))
    end

    def throws = PAIRS * THROWS * 2

    def make(target)
      if target == "async"
        require "async"
        return Async::Scheduler.new
      end
      require "raffia/scheduler"
      Raffia::Scheduler.new(backend: target)
    end

    def pair
      left, right = UNIXSocket.pair
      Fiber.schedule { play(left, first: true) }
      Fiber.schedule { play(right, first: false) }
    end

    def play(socket, first:)
      THROWS.times do
        socket.syswrite(".") if first
        socket.readpartial(1)
        socket.syswrite(".") unless first
      end
    end
  end

  module_function

  def run
    targets = OURS + ["async"]
    results = Hash.new { |hash, target| hash[target] = [] }
    RUNS.times do
      targets.shuffle.each do |target|
        output = IO.popen([RbConfig.ruby, *$LOAD_PATH.grep(/lib\z/).map { |path| "-I#{path}" }, __FILE__, target], err: File::NULL, &:read)
        results[target] << JSON.parse(output, symbolize_names: true) if $?.success?
      end
    end
    report(results)
  end

  def report(results)
    puts "#{RUBY_DESCRIPTION}, #{PAIRS} pairs, #{THROWS} throws each way, #{RUNS} runs"
    base = median(results["async"].map { |result| result[:us] }) unless results["async"].empty?
    results.sort_by { |target, _| OURS.index(target) || OURS.size }.each do |target, all|
      puts line(target, all.map { |result| result[:us] }, all.first[:syscalls], base)
    end
  end

  def line(target, times, syscalls, base)
    text = format("  %-8s %6.2f us (%.2f - %.2f)", target, median(times), *times.minmax)
    text << format("  %.2fx async", median(times) / base) if base
    text << format("  %.2f system calls of the engine", syscalls) if syscalls
    text
  end

  def median(list) = list.sort[list.size / 2]
end

ARGV.empty? ? SchedulerWait.run : SchedulerWait::Run.call(ARGV.first)
