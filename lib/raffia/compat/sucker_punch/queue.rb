# frozen_string_literal: true

require_relative "thread_pool"
require_relative "concurrent_map"

module SuckerPunch
  # The jobs of one class, and the threads that run them.
  class Queue
    extend Forwardable

    # Threads of a class that sets no other number.
    WORKERS = 2
    # {ThreadPool}s by the names of classes.
    QUEUES = ConcurrentMap.new
    # Seconds between two checks of {wait}.
    INTERVAL = 0.01
    private_constant :INTERVAL

    class << self
      # +name+ is a job class's. A new queue gets so many threads, and a limit of waiting jobs.
      def find_or_create(name, workers = WORKERS, most = nil)
        new(name, QUEUES.fetch_or_store(name) { ThreadPool.new(workers, most) })
      end

      def all = [].tap { |queues| QUEUES.each_pair { |name, pool| queues << new(name, pool) } }

      # {#stats} of each queue by name.
      def stats = all.to_h { |queue| [queue.name, queue.stats] }

      # Deletes all queues and ends their jobs, in tests.
      def clear
        old = all
        QUEUES.clear
        [Counter::Busy, Counter::Processed, Counter::Failed].each(&:clear)
        old.each(&:kill)
      end

      # Accepts no more jobs, runs those that wait, and ends those that still run after
      # {SuckerPunch.shutdown_timeout}.
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

      # Returns when no job runs or waits. Jobs of {Job::ClassMethods#perform_in} that are not due
      # do not count.
      def wait = (sleep(INTERVAL) until all.all?(&:idle?))

      # Called in a forked child: jobs that ran or waited do so in the parent.
      # @api private
      def forked
        Counter::Busy.clear
        QUEUES.each_pair { |_, pool| pool.forked }
      end

      private

      def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
    end

    attr_reader :name

    def_delegators :@pool, :max_length, :min_length, :max_queue, :length, :queue_length,
      :wait_for_termination, :kill

    def initialize(name, pool)
      @name = name
      @pool = pool
      @running = true
    end

    # Whether this object takes jobs.
    def running? = @running

    # Whether no job runs or waits.
    def idle? = enqueued_jobs.zero? && busy_workers.zero?

    def ==(other) = other.is_a?(Queue) && pool == other.pool

    alias_method :total_workers, :length

    # Jobs that wait, or that a thread has taken and not begun, so that 0 is reliable.
    def enqueued_jobs = [@pool.open - busy_workers, 0].max

    def busy_workers = Counter::Busy.new(name).value

    def idle_workers = total_workers - busy_workers

    def processed_jobs = Counter::Processed.new(name).value

    def failed_jobs = Counter::Failed.new(name).value

    def stats
      {"workers" => {"total" => total_workers, "busy" => busy_workers, "idle" => idle_workers},
       "jobs" => {"processed" => processed_jobs, "failed" => failed_jobs,
                  "enqueued" => enqueued_jobs}}
    end

    # Returns false after {shutdown}. Raises {ThreadPool.rejection} when too many jobs wait.
    def post(...) = running? && @pool.post(...)

    def shutdown
      @running = false
      @pool.shutdown
    end

    protected

    attr_reader :pool
  end
end
