# frozen_string_literal: true

module SuckerPunch
  # Makes a class with a method `perform` a job. Each run has an object of its own.
  module Job
    def self.included(job)
      job.extend(ClassMethods)
    end

    # @return [Logger]
    def logger = SuckerPunch.logger

    # @return [Integer] see {ClassMethods#workers}
    def num_workers = self.class.num_workers

    # @return [Integer, nil] see {ClassMethods#max_jobs}
    def num_jobs_max = self.class.num_jobs_max

    # Class methods of a job.
    module ClassMethods
      # Threads by default.
      WORKERS = 2

      # @return [Integer] threads for its jobs
      attr_writer :num_workers
      # @return [Integer, nil] waiting jobs, at most; nil: unlimited
      attr_writer :num_jobs_max

      # @return [Integer]
      def num_workers = @num_workers || inherited_setting(:num_workers) || WORKERS

      # @return [Integer, nil]
      def num_jobs_max = defined?(@num_jobs_max) ? @num_jobs_max : inherited_setting(:num_jobs_max)

      # @param number [Integer] of threads, from the first job on
      def workers(number)
        self.num_workers = number
      end

      # @param number [Integer, nil] of jobs that may wait
      def max_jobs(number)
        self.num_jobs_max = number
      end

      # Enqueues a job. Arguments are handed over as they are.
      # @return [Boolean, nil] true; false after {Queue#shutdown}; nil when the process ends
      # @raise [Concurrent::RejectedExecutionError, Raffia::Full] when too many wait
      def perform_async(*args, **named)
        queue.post { __run_perform(*args, **named) } if RUNNING.true?
      end

      # @param interval [Numeric] seconds; below 0 is 0
      # @return [Boolean, nil] true; nil when the process ends
      def perform_in(interval, *args, **named)
        return unless RUNNING.true?

        waits = queue
        SuckerPunch.later(interval.to_f) { waits.post { __run_perform(*args, **named) } }
        true
      end

      # The same counters at both ends, because a queue that is cleared gets new ones.
      # @api private
      def __run_perform(*args, **named)
        (busy = Counter::Busy.new(to_s)).increment
        result = new.perform(*args, **named)
        Counter::Processed.new(to_s).increment
        result
      rescue StandardError, ScriptError => error
        Counter::Failed.new(to_s).increment
        handle(error, named.empty? ? args : [*args, named])
      ensure
        busy.decrement
      end

      private

      def queue = Queue.find_or_create(to_s, num_workers, num_jobs_max)

      # An error of the handler is only logged.
      def handle(error, args)
        SuckerPunch.exception_handler.call(error, self, args)
      rescue StandardError, ScriptError => failure
        SuckerPunch.default_exception_handler(error, self, args)
        SuckerPunch.logger.error("the exception handler failed: " \
          "#{failure.full_message(highlight: false)}")
      end

      def inherited_setting(name) = (superclass.public_send(name) if superclass.respond_to?(name))
    end
  end
end
