# frozen_string_literal: true

module SuckerPunch
  # Makes a class with a method `perform` a job. Each run has its own object.
  module Job
    def self.included(job)
      job.extend(ClassMethods)
    end

    def logger = SuckerPunch.logger

    def num_workers = self.class.num_workers

    def num_jobs_max = self.class.num_jobs_max

    module ClassMethods
      attr_writer :num_workers
      # Limit of waiting jobs, nil for none.
      attr_writer :num_jobs_max

      def num_workers = @num_workers || inherited_setting(:num_workers) || Queue::WORKERS

      def num_jobs_max = defined?(@num_jobs_max) ? @num_jobs_max : inherited_setting(:num_jobs_max)

      # Number of threads; the first job fixes it.
      def workers(number)
        self.num_workers = number
      end

      def max_jobs(number)
        self.num_jobs_max = number
      end

      # Enqueues a job with these very arguments, and returns true; false after {Queue#shutdown},
      # nil when the process ends. Raises {ThreadPool.rejection} when too many jobs wait.
      def perform_async(*args, **named)
        queue.post { __run_perform(*args, **named) } if RUNNING.true?
      end

      # +interval+ is in seconds. Returns true, or nil when the process ends.
      def perform_in(interval, *args, **named)
        return unless RUNNING.true?

        waits = queue
        DelayQueue.current.add(interval.to_f) { waits.post { __run_perform(*args, **named) } }
        true
      end

      # Decrements the counter that it incremented: a queue that is cleared gets new counters.
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

      # Logs errors of the handler.
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
