# frozen_string_literal: true

require "forwardable"
require_relative "thread_pool"
require_relative "concurrent_map"

module SuckerPunch
  # The jobs of one class, and the threads that do them.
  class Queue
    extend Forwardable

    # {ThreadPool}s by the names of classes.
    QUEUES = ConcurrentMap.new
    # Seconds between two looks whether all is done.
    INTERVAL = 0.01
    private_constant :INTERVAL

    class << self
      # @param name [String] of a class
      # @param workers [Integer] threads, if this is the first time
      # @param most [Integer, nil] jobs that may wait
      # @return [Queue]
      def find_or_create(name, workers = Job::ClassMethods::WORKERS, most = nil)
        new(name, QUEUES.fetch_or_store(name) { ThreadPool.new(workers, most) })
      end

      # @return [Array<Queue>]
      def all = [].tap { |queues| QUEUES.each_pair { |name, pool| queues << new(name, pool) } }

      # @return [Hash{String => Hash}] of each queue "workers" ("total", "busy", "idle") and "jobs"
      #   ("processed", "failed", "enqueued")
      def stats = all.to_h { |queue| [queue.name, queue.stats] }

      # Forgets all queues, and ends what they do: for tests.
      # @return [void]
      def clear
        old = all
        QUEUES.clear
        [Counter::Busy, Counter::Processed, Counter::Failed].each(&:clear)
        old.each(&:kill)
      end

      # Take no more jobs, do those that are there, and end what still runs after
      # {SuckerPunch.shutdown_timeout}.
      # @return [void]
      def shutdown_all
        return unless RUNNING.make_false

        queues = all.each(&:shutdown)
        return if queues.all?(&:idle?)

        SuckerPunch.logger.info("Pausing to allow workers to finish...")
        give_up = now + SuckerPunch.shutdown_timeout
        if queues.map { |queue| queue.wait_for_termination((give_up - now).clamp(0, nil)) }.all?
          return
        end

        SuckerPunch.logger.warn("Queued jobs didn't finish before shutdown_timeout...killing " \
          "remaining jobs")
        queues.each(&:kill)
      end

      # Until no job runs or waits. Those of {Job::ClassMethods#perform_in} whose time has not come
      # are not waited for.
      # @return [void]
      def wait = (sleep(INTERVAL) until all.all?(&:idle?))

      # In a forked child: jobs that ran or waited do so in the parent.
      # @api private
      def forked
        Counter::Busy.clear
        QUEUES.each_pair { |_, pool| pool.forked }
      end

      private

      def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
    end

    # @return [String] of a class
    attr_reader :name

    def_delegators :@pool, :max_length, :min_length, :max_queue, :length, :queue_length,
      :wait_for_termination, :kill

    # @param name [String]
    # @param pool [ThreadPool]
    def initialize(name, pool)
      @name = name
      @pool = pool
      @running = true
    end

    # @return [Boolean] whether this object takes jobs
    def running? = @running

    # @return [Boolean] whether no job runs or waits
    def idle? = enqueued_jobs.zero? && busy_workers.zero?

    # @return [Boolean] whether it is the same queue
    def ==(other) = other.is_a?(Queue) && pool == other.pool

    alias_method :total_workers, :length

    # @return [Integer] jobs that wait. One that a thread has just taken, and not begun, counts: who
    #   sees none may rely on it
    def enqueued_jobs = [@pool.open - busy_workers, 0].max

    # @return [Integer]
    def busy_workers = Counter::Busy.new(name).value

    # @return [Integer]
    def idle_workers = total_workers - busy_workers

    # @return [Integer]
    def processed_jobs = Counter::Processed.new(name).value

    # @return [Integer]
    def failed_jobs = Counter::Failed.new(name).value

    # @return [Hash] see {Queue.stats}
    def stats
      {"workers" => {"total" => total_workers, "busy" => busy_workers, "idle" => idle_workers},
       "jobs" => {"processed" => processed_jobs, "failed" => failed_jobs,
                  "enqueued" => enqueued_jobs}}
    end

    # @return [Boolean] false after {shutdown}
    # @raise [Concurrent::RejectedExecutionError, Raffia::Full] when too many wait
    def post(...) = running? && @pool.post(...)

    # Take no more jobs, and do those that are there.
    # @return [void]
    def shutdown
      @running = false
      @pool.shutdown
    end

    protected

    attr_reader :pool
  end
end
