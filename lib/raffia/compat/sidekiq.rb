# frozen_string_literal: true

require_relative "layers"

Raffia::Compat.claim(:sidekiq)

require "json"
require_relative "../jobs"
require_relative "sidekiq/errors"
require_relative "sidekiq/client"
require_relative "sidekiq/configuration"
require_relative "sidekiq/iterable"
require_relative "sidekiq/job"
require_relative "sidekiq/setup"

# Sidekiq's interface to define, enqueue and test jobs, over Raffia's jobs and any of its stores.
#
#     class MailJob
#       include Sidekiq::Job
#       sidekiq_options queue: "mail", retry: 5
#
#       def perform(id) = Mailer.deliver(id)
#     end
#
#     MailJob.perform_async(1)
#
# `raffia work -r ./jobs.rb` processes it. The store is that of RAFFIA_STORE, else the Redis of
# `config.redis` or REDIS_URL, else SQLite. Jobs in Redis have Sidekiq's format, so that its own
# processes may work beside Raffia's.
module Sidekiq
  VERSION = "8.1.7"
  MAJOR = 8

  SETUP = Setup.new
  private_constant :SETUP

  # Constants of Sidekiq's retries that other gems read.
  module JobRetry
    # Attempts of a job with `retry: true`.
    DEFAULT_MAX_RETRY_ATTEMPTS = 25
  end

  class << self
    def default_configuration = SETUP.configuration

    # Yields the configuration in programs that enqueue.
    def configure_client
      yield default_configuration unless server?
    end

    # Yields the configuration in workers: now, or when a worker starts in this process.
    def configure_server(&block)
      server? ? yield(default_configuration) : SETUP.server_blocks << block
    end

    def configure_embed
      raise(NotProvided, "Sidekiq.configure_embed is not there: use " \
        "Raffia::Jobs.run_in_process(store: Raffia::Jobs.store)")
    end

    # Whether this process runs workers. The constant alone does not tell, because a dashboard loads
    # parts of workers too.
    def server?
      Raffia::Jobs.const_defined?(:Worker, false) && Raffia::Jobs::Worker.method_defined?(:run)
    end

    # Arguments that JSON would change are rejected (:raise), converted with a warning (:warn) or
    # converted silently (false).
    def strict_args!(mode = :raise)
      default_configuration[:on_complex_arguments] = mode
    end

    def transactional_push!
      raise(NotProvided, "Sidekiq.transactional_push! is not there: use " \
        "Raffia::Jobs.transaction(connection) { }, with jobs in the same PostgreSQL or MySQL")
    end

    def default_job_options = SETUP.job_options

    def default_job_options=(options)
      SETUP.job_options = {**default_job_options, **options.transform_keys(&:to_s)}.freeze
    end

    def redis_pool = SETUP.connections

    # Yields a connection for the program's own data. Raises NotProvided when jobs are not in Redis.
    def redis(&) = redis_pool.with(&)

    def logger = default_configuration.logger

    def load_json(text) = JSON.parse(text)

    def dump_json(object) = JSON.generate(object)

    # +mode+: :fake, :inline or :disable.
    def testing!(mode = :fake, &)
      unless %i[fake inline disable].include?(mode)
        raise ArgumentError, "there are the modes fake, inline and disable, and not #{mode.inspect}"
      end

      require_relative "sidekiq/testing"
      Testing.public_send(:"#{mode}!", &)
    end

    def pro? = false

    def ent? = false
  end

  SETUP.attach
end
