# frozen_string_literal: true

require_relative "../../pool"
require_relative "../../../raffia"

module SuckerPunch
  # Threads for the jobs of one queue: a {Raffia::Pool} with the interface of concurrent-ruby's
  # pools.
  #
  # @api private
  class ThreadPool
    # Waiting jobs are counted here, and not by the pool.
    UNLIMITED = 1 << 40
    private_constant :UNLIMITED

    # concurrent-ruby's error if that is loaded, so that a program's own `rescue` gets it.
    # @return [Exception]
    def self.rejection(message)
      known = if defined?(::Concurrent::RejectedExecutionError)
        ::Concurrent::RejectedExecutionError
      else
        Raffia::Full
      end
      known.new(message)
    end

    # @return [Integer] threads, at most
    attr_reader :max_length
    alias_method :min_length, :max_length
    # @return [Integer] waiting jobs, at most; 0: unlimited
    attr_reader :max_queue

    # @param workers [Integer]
    # @param most [Integer, nil] waiting jobs
    def initialize(workers, most = nil)
      @max_length = workers
      @max_queue = most || 0
      @pool = Raffia::Pool.new(on: :threads, workers: workers, queue: UNLIMITED)
      @lock = Thread::Mutex.new
      @inherited = 0
    end

    # The caller's deadline does not apply to the job.
    # @return [Boolean] true
    # @raise [Concurrent::RejectedExecutionError, Raffia::Full] when too many wait, and after
    #   {shutdown}
    def post(*args, **named, &work)
      @lock.synchronize do
        raise ThreadPool.rejection("this queue has been shut down") if @pool.closed?
        if @max_queue.positive? && open >= @max_queue + @max_length
          raise ThreadPool.rejection("#{@max_queue} jobs wait already")
        end

        Raffia::Deadline.replace(nil) { @pool.submit { work.call(*args, **named) } }
      end
      true
    end

    # @return [Integer] jobs that wait or run
    def open
      @pool.stats.then do |of|
        of[:submitted] - of[:done] - of[:failed] - of[:cancelled] - @inherited
      end
    end

    # In a forked child: open jobs are the parent's.
    # @return [void]
    def forked = @inherited += open

    # @return [Integer] threads that live
    def length = @pool.stats[:workers]

    # @return [Integer] jobs that wait
    def queue_length = @pool.stats[:waiting]

    # Accepts no more jobs, and runs the others.
    # @return [void]
    def shutdown = @pool.shutdown(0)

    # @param timeout [Numeric, nil] seconds
    # @return [Boolean] whether all jobs are done
    def wait_for_termination(timeout = nil) = @pool.shutdown(timeout)

    # End now.
    # @return [void]
    def kill = @pool.terminate
  end
end
