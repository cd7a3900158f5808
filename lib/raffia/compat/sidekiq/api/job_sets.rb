# frozen_string_literal: true

require_relative "job_set"

module Sidekiq
  # Jobs whose time has not come.
  class ScheduledSet < JobSet
    def initialize = super("schedule", :scheduled)

    # Stores a payload without running middleware.
    def schedule(time, job)
      item = Raffia::Jobs::Client::PayloadBuilder.build({**job, "at" => time.to_f})
      Raffia::Jobs.store.enqueue([Raffia::Jobs::Draft.of(item)])
      nil
    end
  end

  # Jobs that have failed and will be retried.
  class RetrySet < JobSet
    def initialize = super("retry", :retry)
  end

  # Jobs that have failed for good.
  class DeadSet < JobSet
    # Defaults of workers.
    SECONDS = 180 * 86_400
    JOBS = 10_000
    private_constant :SECONDS, :JOBS

    def initialize = super("dead", :dead)

    # Newest first.
    def each(&)
      return to_enum unless block_given?

      @pages.forwards { |entry| yield record(entry) }
    end

    # Deletes jobs that are too old or too many, as workers do periodically.
    def trim
      configuration = Sidekiq.default_configuration
      Raffia::Jobs.store.prune(dead_for: configuration[:dead_timeout_in_seconds] || SECONDS,
        dead_max: configuration[:dead_max_jobs] || JOBS)
    end

    def kill(*)
      raise(NotProvided, "Sidekiq::DeadSet#kill is not there: a job that is kept nowhere cannot " \
        "die. Use kill of what ScheduledSet, RetrySet or Queue gives")
    end
  end
end
