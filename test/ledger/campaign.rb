# frozen_string_literal: true

require "fileutils"
require "rbconfig"
require "raffia/jobs"
require_relative "checker"
require_relative "partition"
require_relative "shim"
require_relative "worker"

module Ledger
  # Enqueues jobs and runs workers while faults are injected; then drains the store, and checks the
  # history.
  class Campaign
    # Faults that any store can meet. Each is a method of this class.
    FAULTS = %i[kill_worker kill_supervisor stop_worker turn_clock].freeze
    # Seconds that the drain may take, beyond those that many jobs need.
    TIMEOUT = 180
    # Seconds that a worker is stopped: longer than its lease.
    STOPPED = Raffia::Jobs::Store::LEASE + 4
    # Faults go on while more jobs wait, because producers are faster than workers.
    BACKLOG = 5_000
    HOUR = 3600
    PRODUCERS = 2

    # @param dir [String] of our own
    # @param url [String] of the store
    # @param jobs [Integer] how many to keep at least
    # @param faults [Array<Symbol>] in turn, after the first of each by chance
    # @param server [#kill, #start, nil] of the store
    # @param disk [String, nil] folder whose files forget what is not synced
    # @param pause [Range] seconds between two faults
    # @param nap [Float] seconds between two calls of a producer
    # @param backlog [Integer] how many jobs must wait before the first fault
    # @param forgets [Array<Symbol>] faults after which the store's rates may begin anew
    # @param seed [Integer] of all that is random in the producers and faults
    # @param log [IO, nil] hears what happens
    def initialize(dir, url, jobs:, faults: FAULTS, server: nil, disk: nil, pause: 0.3..1.5,
      nap: 0.05, backlog: 0, forgets: [], seed: Random.new_seed % (1 << 32), log: nil)
      @dir = dir
      @jobs = jobs
      @faults = faults
      @server = server
      @pause = pause
      @forgets = forgets
      @seed = seed
      @random = Random.new(seed)
      @nap = nap
      @backlog = backlog
      @log = log
      @history = File.join(dir, "history")
      File.write(@history, "")
      @progress = Progress.new(@history)
      @end_of_input = IO.pipe
      @shim = Shim.new(dir, disk: disk)
      @env = {"RAFFIA_STORE" => url, "LEDGER_STORE" => url[/\A[a-z]+/].sub("valkey", "redis"),
              "LEDGER_HISTORY" => @history, "RAFFIA_LOG" => "warn",
              "RUBYOPT" => nil, **@shim.env}
      @url = url
      @partition = Partition.new(server.port) if faults.include?(:part)
      @workers = [Worker.new(@env, worker_log), *distant_worker]
      @done = Hash.new(0)
      @stopped = []
    end

    # @return [String] path, of what the workers said
    def worker_log = File.join(@dir, "worker.log")

    # @return [Integer]
    attr_reader :seed

    # @return [Result]
    def run
      @workers.each(&:start)
      produce
      inject_faults
      drain
      @workers.each(&:stop)
      Checker.call(@history, @done, left, store: store, forgets: @forgets)
    ensure
      kill_producers
      @workers.each(&:kill_all)
      @stopped.each { |pid| Worker.signal(:KILL, pid) }
      @partition&.close
    end

    private

    # Another one, whose connections go through the fault proxy.
    def distant_worker
      return unless @partition

      url = @partition.url(@url)
      @distant = {**@env, "RAFFIA_STORE" => url}
      Worker.new(@distant, worker_log, processes: 1)
    end

    # They go on until the pipe's other end is closed, and have kept as many as are missing.
    def produce
      missing = @jobs - kept
      return if missing <= 0 && @end_of_input.last.closed?

      @producing = Array.new(PRODUCERS) do |number|
        ::Process.spawn((number.zero? && @distant) || @env, RbConfig.ruby,
          "-I#{Worker::ROOT}/lib", "#{__dir__}/producer.rb", (missing / PRODUCERS).to_s,
          @random.rand(1 << 30).to_s, @nap.to_s, rest.to_s, in: @end_of_input.first,
          err: [worker_log, "a"])
      end
    end

    # Seconds after each call once the jobs are enough: the last faults meet some calls, and no
    # backlog. Without a number of jobs, the faults are to meet as many as there can be.
    def rest = @jobs.zero? ? @nap : 0.5

    # Those of workflows and functions are counted roughly.
    def kept
      kept = History.read(@history)
      kept[:kept].size + 5 * kept[:kept_workflow].size + 3 * kept[:kept_function].size
    end

    def end_producing = @end_of_input.last.close

    # Injects each fault once, then random ones while producers run or many jobs wait.
    def inject_faults
      order = @faults.shuffle(random: @random)
      await { @progress.open >= @backlog || !producing? }
      while (fault = order.shift || (at_work? && @faults.sample(random: @random)))
        sleep(@random.rand(@pause))
        @log&.puts "#{clock} #{fault}, with #{@progress.open} of #{@progress.kept} jobs open"
        inject(fault)
        @done[fault] += 1
        end_producing if order.empty?
      end
    end

    def inject(fault)
      from = now
      send(fault)
      note("#{fault} #{from} #{now}")
      find_secrets
    end

    def note(line) = File.write(@history, "! #{line}\n", mode: "a")

    def clock = Time.now.strftime("%H:%M:%S")

    # Encrypted arguments are nowhere in the store.
    def find_secrets
      found = store.entries(:queue, limit: 200).find { |one| one.payload.include?("ledger-secret") }
      raise "the store has plain arguments of #{found.payload}" if found
    rescue Raffia::Jobs::StoreUnavailable
      nil
    end

    def at_work? = producing? || (@progress.grows? && @progress.open > BACKLOG)

    def producing?
      @producing.reject! { |pid| ::Process.wait(pid, ::Process::WNOHANG) }
      @producing.any?
    end

    # Requeues dead jobs, whose workers died three times, as a person would. The clock stays at its
    # latest time, so all postponed jobs are due.
    def drain
      @shim.turn_clock(HOUR)
      note("turn_clock #{now} #{now}")
      @server&.start
      give_up = now + TIMEOUT + @jobs / 500
      until left.values.sum.zero?
        if now > give_up
          raise "it did not come to an end: #{left}\n#{File.read(worker_log).lines.last(20).join}"
        end

        requeue_dead
        send_signals
        sleep(0.2)
      end
    end

    # To functions whose producer was killed before it did. They have the key of the producer's, so
    # that they are taken only where that did not arrive.
    def send_signals
      store.flows(status: "waiting", limit: 1000).each do |flow|
        store.signal_flow(flow["id"], "go", "\"late\"", key: "go")
      end
    rescue Raffia::Jobs::Error, Raffia::ConfigError
      nil # it has none, or is away
    end

    def requeue_dead
      dead = store.entries(:dead, limit: 1000)
      @done[:buried] += dead.size unless dead.empty?
      store.requeue(dead)
      requeue_postponed
    rescue Raffia::Jobs::StoreUnavailable
      nil
    end

    # Requeues jobs that were postponed under a clock ahead: a server has a clock of its own, which
    # is not turned.
    def requeue_postponed
      %i[scheduled retry].each do |set|
        store.requeue(store.entries(set, limit: 1000)
          .select { |entry| entry.at > Time.now.to_f + 60 })
      end
    end

    def left = store.counts.slice(*Raffia::Jobs::Store::SETS)

    def store = @store ||= Raffia::Jobs::Store.open(@url)

    def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)

    # --- faults ---

    def kill_worker
      pid = worker_pids.sample(random: @random)
      Worker.signal(:KILL, pid) if pid
    end

    def worker_pids = @workers.flat_map(&:workers)

    def kill_supervisor = @workers.sample(random: @random).kill_supervisor

    # Other workers have its jobs when it continues, and the store must refuse its acks.
    def stop_worker
      pid = worker_pids.sample(random: @random) or return
      @stopped << pid
      Worker.signal(:STOP, pid)
      sleep(STOPPED)
      Worker.signal(:CONT, pid)
      @stopped.delete(pid)
    end

    def turn_clock = @shim.turn_clock([-HOUR, HOUR, 0].sample(random: @random))

    # Fills the disk for a moment.
    def fill_disk
      @shim.fill_disk(true)
      sleep(@random.rand(0.5..3.0))
    ensure
      @shim.fill_disk(false)
    end

    # Kills the store's server, and starts it after a moment.
    def kill_server
      @server.kill
      sleep(@random.rand(0.1..1.0))
      @server.start
    end

    # Nothing, or only one way, goes between the store and one of the workers for a while, which may
    # be longer than its lease.
    def part
      long = @faults.include?(:stop_worker) && @random.rand < 0.3
      seconds = long ? STOPPED : @random.rand(0.2..3.0)
      @done[:"part #{@partition.cause(seconds, @random)}"] += 1
    end

    # The store's data is that of some seconds before, while workers live on.
    def restore_older
      require_relative "older_data"
      older = OlderData.new(@server.port)
      note("older_begin 0 0")
      older.save
      sleep(@random.rand(0.5..3.0))
      older.restore
      sleep(OlderData::SLACK)
      note("older_end 0 0")
    end

    # Kills all processes, and removes what was not synced.
    def cut_power
      @workers.each(&:kill_all)
      kill_producers
      @store&.close
      @store = nil
      @done[:bytes_not_synced] += @shim.cut
      @workers.each(&:start)
      produce
      await_progress
    end

    # Waits until the new processes make progress.
    def await_progress
      size = File.size(@history)
      await { File.size(@history) > size || !producing? }
    end

    def await
      give_up = now + TIMEOUT
      sleep(0.05) until yield || now > give_up
    end

    def kill_producers
      @producing&.each do |pid|
        Worker.signal(:KILL, pid)
        ::Process.wait(pid)
      end
      @producing = []
    end
  end
end
