# frozen_string_literal: true

require "logger"
require "tmpdir"
require "raffia/jobs"
require "raffia/jobs/worker"
require_relative "ledger"
require_relative "link"

module Simulations
  module Jobs
    Raffia::Jobs::Store.open("memory:") # loads it outside of any run

    # Works for some seconds; fails at its first attempts.
    class StepJob
      include Raffia::Job

      options retry: 25

      def perform(seconds = 0.01, failures = 0)
        ledger = Ledger.current
        ledger.run(self) do
          sleep(seconds)
          raise "attempt #{ledger.attempt(self)}" if ledger.attempt(self) <= failures
        end
      end
    end

    # The same on a thread.
    class ThreadJob < StepJob
      options on: :threads
    end

    # A store, workers and a client of one run.
    class Plant
      Worker = Raffia::Jobs::Worker
      LOG = Logger.new(nil)

      attr_reader :store, :ledger, :links, :workers

      # Yields a plant on a store that the run chooses, and closes it.
      def self.open(program, sqlite: program.choose(3).zero?)
        return yield(new(program.sim)) unless sqlite

        Dir.mktmpdir do |folder|
          plant = new(program.sim, separate: true) do
            Raffia::Jobs::Store.open("sqlite:#{folder}/jobs.db?synchronous=off")
          end
          yield plant
        ensure
          plant&.close
        end
      end

      # The block opens the store; all links share it, unless `separate`.
      def initialize(sim, separate: false, &open)
        @sim = sim
        @open = open || -> { Raffia::Jobs::Store.open("memory:") }
        @separate = separate
        @ledger = Ledger.new
        Link::LEASES.clear
        @workers = []
        @links = []
        @store = @open.call
        @stores = [@store]
        Raffia::Jobs.store = @store
      end

      # Starts a worker with a link of its own.
      def work(delays: 0, loss: 0, **options)
        @links << (link = link(delays:, loss:))
        # No call is lost during the start, which an operator would repeat.
        link.loss = 0
        worker = Worker.new(link, log: LOG, monitored: false, **options).start
        link.loss = loss
        @workers << worker
        worker
      end

      def stop
        @workers.each(&:stop) # raises what a worker has ended with
        @workers.clear
        @closed = true
      end

      # Lets virtual time pass until no job is anywhere but among the dead.
      def drain(hours: 48)
        (hours * 360).times do
          return if idle?
          raise Violation, "a worker has ended" unless @workers.all?(&:running?)

          @sim.sleep(10)
        end
        raise Violation, "jobs are left after #{hours} hours: #{@store.counts}"
      end

      def idle? = @store.counts.values_at(:queue, :scheduled, :retry, :blocked, :running).sum.zero?

      # Raises for what does not hold.
      def verify(**expected)
        found = @ledger.violations(**expected) + @store.check
        raise Violation, found.join("; ") if found.any?
      end

      # Stops the oldest worker.
      def retire = @workers.shift.stop

      def closed? = @closed

      # Ends a worker as a kill does: no `ensure` runs, and its connection is gone.
      def crash(worker)
        index = @workers.index(worker)
        abandon(worker.instance_variable_get(:@thread), @links[index])
        @ledger.lose(@links[index].token)
        @workers.delete_at(index)
        @links.delete_at(index)
      end

      # A thread and those that it has started go no further.
      def abandon(thread, link)
        world = Raffia::Simulation::World.active
        world.threads.each do |one|
          next unless one.path == thread.path || one.path.start_with?("#{thread.path}/")

          world.abandon(one)
          one.daemon = true
        end
        close_link(link) if @separate
      end

      # One of the threads may hold a lock of the store, so nobody waits for the end of this.
      def close_link(link)
        @stores.delete(link.store)
        @sim.daemon(Thread.new { link.close })
      end

      # The store as another process reaches it.
      def link(**options) = Link.new(@separate ? another : @store, @ledger, @sim, **options)

      # Times of recurring jobs in the queue, in order.
      def ticks = payloads(:queue).map { |item| Time.at(item.dig("raffia", "tick")).utc }

      # The payloads of all jobs in these sets.
      def payloads(*sets) = sets.flat_map { |set| @store.entries(set, limit: 1000).map(&:item) }

      def close = @stores.each(&:close)

      private

      # The same store, as another process has it.
      def another = @open.call.tap { |one| @stores << one }
    end
  end
end
