# frozen_string_literal: true

module Resque
  # Methods that resque-scheduler adds to Resque.
  module Scheduling
    # +time+ is a Time, or seconds since 1970. Returns nil when a before_schedule hook rejects it.
    def enqueue_at(time, job, *args)
      validate(job)
      enqueue_at_with_queue(queue_from_class(job), time, job, *args)
    end

    def enqueue_at_with_queue(queue, time, job, *args)
      return enqueue_to(queue, job, *args) if inline? || time.to_f <= Time.now.to_f
      return unless Plugin.run(job, "before_schedule", *args)

      SETUP.enqueue(queue, job.to_s, JSON.parse(JSON.generate(args)), time.to_f)
      Plugin.run(job, "after_schedule", *args)
      true
    end

    # +seconds+ from now. Raises ArgumentError for what is no number.
    def enqueue_in(seconds, job, *args) = enqueue_at(later(seconds), job, *args)

    def enqueue_in_with_queue(queue, seconds, job, *args)
      enqueue_at_with_queue(queue, later(seconds), job, *args)
    end

    # Deletes scheduled jobs of this class with these arguments. Returns their number.
    def remove_delayed(job, *args)
      Queues.delete(:scheduled) { |item|
        item["class"] == job.to_s && item["args"] == JSON.parse(JSON.generate(args))
      }
    end

    # Moves scheduled jobs to another time, or schedules one. Returns their number.
    def delay_or_enqueue_at(time, job, *args)
      count = [remove_delayed(job, *args), 1].max
      count.times { enqueue_at(time, job, *args) }
    end

    def delay_or_enqueue_in(seconds, job, *args)
      delay_or_enqueue_at(later(seconds), job, *args)
    end

    # Whether such a job is scheduled.
    def delayed?(job, *args) = !scheduled_at(job, *args).empty?

    # Seconds since 1970 at which such jobs are due.
    def scheduled_at(job, *args)
      Raffia::Jobs.store.entries(:scheduled, limit: 10_000, match: job.to_s)
        .select { |entry| Queues.match?(entry.item, job, args) }.map { |entry| entry.at.to_i }
    end

    private

    def later(seconds)
      raise ArgumentError, "Please supply a numeric number of seconds" unless seconds.is_a?(Numeric)

      Time.now + seconds
    end
  end
end
