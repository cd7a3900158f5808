# frozen_string_literal: true

require_relative "../../pool"
require_relative "../../../raffia"

module SuckerPunch
  # The threads that do the jobs of one queue: a {Raffia::Pool} by the names that thread pools of
  # concurrent-ruby have.
  #
  # @api private
  class Crew
    # More than memory could hold: how many may wait is counted here.
    ANY = 1 << 40
    private_constant :ANY

    # What concurrent-ruby raises where that is loaded, so that a program's own `rescue` gets it.
    # @return [Exception]
    def self.rejection(message)
      known = if defined?(::Concurrent::RejectedExecutionError)
        ::Concurrent::RejectedExecutionError
      else
        Raffia::Full
      end
      known.new(message)
    end

    # @return [Integer] how many threads at most
    attr_reader :max_length
    alias_method :min_length, :max_length
    # @return [Integer] how many jobs may wait; 0: any number
    attr_reader :max_queue

    # @param workers [Integer]
    # @param most [Integer, nil] how many jobs may wait
    def initialize(workers, most = nil)
      @max_length = workers
      @max_queue = most || 0
      @pool = Raffia::Pool.new(on: :threads, workers: workers, queue: ANY)
      @entrance = Thread::Mutex.new
      @elsewhere = 0
    end

    # Whoever posts does not wait for it, so his deadline is not the work's.
    # @return [Boolean] true
    # @raise [Concurrent::RejectedExecutionError, Raffia::Full] when too many wait, or none are
    #   taken any more
    def post(*args, **named, &work)
      @entrance.synchronize do
        raise Crew.rejection("this queue has been shut down") if @pool.closed?
        if @max_queue.positive? && open >= @max_queue + @max_length
          raise Crew.rejection("#{@max_queue} jobs wait already")
        end

        Raffia::Deadline.replace(nil) { @pool.submit { work.call(*args, **named) } }
      end
      true
    end

    # @return [Integer] jobs that wait or run
    def open
      @pool.stats.then do |of|
        of[:submitted] - of[:done] - of[:failed] - of[:cancelled] - @elsewhere
      end
    end

    # In a forked child: what was open is the parent's.
    # @return [void]
    def forked = @elsewhere += open

    # @return [Integer] threads that live
    def length = @pool.stats[:workers]

    # @return [Integer] jobs that wait
    def queue_length = @pool.stats[:waiting]

    # Take no more jobs, and do those that are there.
    # @return [void]
    def shutdown = @pool.shutdown(0)

    # @param timeout [Numeric, nil] seconds
    # @return [Boolean] whether all has been done
    def wait_for_termination(timeout = nil) = @pool.shutdown(timeout)

    # End now.
    # @return [void]
    def kill = @pool.terminate
  end
end
