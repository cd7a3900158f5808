# frozen_string_literal: true

module SuckerPunch
  # Threads for the jobs of one queue: a {Raffia::Pool} with concurrent-ruby's interface.
  #
  # @api private
  class ThreadPool
    # {post} limits the waiting jobs, not the pool.
    UNLIMITED = 1 << 40
    private_constant :UNLIMITED

    # concurrent-ruby's error if that is loaded, because programs rescue it.
    def self.rejection(message)
      known = if defined?(::Concurrent::RejectedExecutionError)
        ::Concurrent::RejectedExecutionError
      else
        Raffia::Full
      end
      known.new(message)
    end

    attr_reader :max_length
    alias_method :min_length, :max_length
    # Limit of waiting jobs, 0 for none.
    attr_reader :max_queue

    def initialize(workers, most = nil)
      @max_length = workers
      @max_queue = most || 0
      @pool = Raffia::Pool.new(on: :threads, workers:, queue: UNLIMITED)
      @lock = Thread::Mutex.new
      @inherited = 0
    end

    # The caller's deadline does not apply to the job. Raises {rejection} when too many jobs wait,
    # and after {shutdown}.
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

    # Number of jobs that wait or run.
    def open
      @pool.stats.then do |of|
        of[:submitted] - of[:done] - of[:failed] - of[:cancelled] - @inherited
      end
    end

    # Called in a forked child, where open jobs are the parent's.
    def forked = @inherited += open

    def length = @pool.stats[:workers]

    def queue_length = @pool.stats[:waiting]

    # Accepts no more jobs, and runs those that wait.
    def shutdown = @pool.shutdown(0)

    # Returns whether all jobs have ended within the timeout in seconds.
    def wait_for_termination(timeout = nil) = @pool.shutdown(timeout)

    def kill = @pool.terminate
  end
end
