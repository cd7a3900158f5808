# frozen_string_literal: true

# A campaign on the store in memory, whose jobs die with their process: memory.rb COUNT SEED RESULT.
# The faults are those that a process survives: workers that end without a word, and ones that
# interrupt their jobs.

require_relative "jobs"
require "logger"
require "raffia/jobs/worker"
require_relative "checker"
require_relative "shim"

module Ledger
  # Producers, workers and faults in one process.
  class Memory
    FAULTS = %i[kill_worker interrupt_worker turn_clock].freeze
    # Seconds that a lease holds, and those that the end may take.
    LEASE = 5
    TIMEOUT = 120

    def initialize(count, seed)
      @count = count
      @random = Random.new(seed)
      Raffia::Jobs.store = @store = Raffia::Jobs::Store.open("memory:")
      @faults = Hash.new(0)
      @log = ::Logger.new($stderr, level: :fatal)
    end

    def call
      @workers = Array.new(2) { start }
      producers = Array.new(2) { produce(@random.rand(1 << 30)) }
      FAULTS.each { |fault| inject(fault) }
      inject while producers.any?(&:alive?)
      producers.each(&:value)
      drain
      @workers.each(&:stop)
      Checker.call(ENV.fetch("LEDGER_HISTORY"), @faults, left, store: @store,
        forgets: [:turn_clock])
    end

    private

    # Its thread inherits the mask, so that a kill ends it where it waits. Nothing could protect the
    # store's data, which are objects of this process, from a kill in the middle of a change.
    def start
      Thread.handle_interrupt(Object => :on_blocking) do
        Raffia::Jobs::Worker.new(@store, log: @log, concurrency: 20, timeout: 0.05, lease: LEASE,
          queues: %w[default,3 fair,1], monitored: false).start
      end
    end

    def produce(seed)
      Thread.new do
        random = Random.new(seed)
        calls = Loads.all(@store).flat_map { |load| [load] * load::SHARE }
        left = @count / 2
        while left.positive?
          left -= calls.sample(random: random).produce(random, left)
          sleep(0.01) while @store.counts[:queue] > 2_000
        end
      end
    end

    def inject(fault = FAULTS.sample(random: @random), *args)
      sleep(@random.rand(0.2..1.0))
      @faults[fault] += 1
      warn("#{Time.now.strftime("%H:%M:%S")} #{fault}, with #{left.values.sum} jobs open")
      at = now
      send(fault, *args)
      HISTORY.note(:fault, ["#{fault} #{at} #{now}"])
    end

    # Its jobs end where they are, and its lease is not renewed.
    def kill_worker = replace { |worker| worker.instance_variable_get(:@thread).kill.join }

    def interrupt_worker = replace(&:stop)

    def replace
      yield(@workers.shift)
    rescue Raffia::Error
      nil
    ensure
      @workers << start
    end

    def turn_clock(seconds = [-3600, 3600, 0].sample(random: @random))
      Shim.turn_clock(ENV.fetch("RAFFIA_SHIM_WORLD"), seconds)
    end

    def drain
      inject(:turn_clock, 3600)
      give_up = now + TIMEOUT
      until left.values.sum.zero?
        raise "it did not come to an end: #{left}" if now > give_up

        @store.requeue(@store.entries(:dead, limit: 1000))
        @store.flows(status: "waiting", limit: 1000).each do |flow|
          @store.signal_flow(flow["id"], "go", "\"late\"", key: "go")
        end
        sleep(0.1)
      end
    end

    def left = @store.counts.slice(*Raffia::Jobs::Store::SETS)

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
  end
end

result = Ledger::Memory.new(Integer(ARGV[0]), Integer(ARGV[1])).call
File.binwrite(ARGV[2], Marshal.dump(result.to_h))
