# frozen_string_literal: true

require_relative "layers"
Raffia::Compat.claim(:sidekiq)

require "json"
require_relative "../jobs"
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
# `config.redis` or REDIS_URL, else SQLite. In Redis jobs have Sidekiq's format, so that its own
# processes may work beside Raffia's.
module Sidekiq
  # Of the gem whose interface this is.
  VERSION = "8.1.7"
  MAJOR = 8
  SETUP = Setup.new
  private_constant :SETUP

  # Ends late jobs at Sidekiq's shutdown. Raffia interrupts them in another way, and returns them to
  # their queue.
  class Shutdown < Interrupt
  end

  class << self
    # @return [Configuration]
    def default_configuration = SETUP.configuration

    # @yieldparam configuration [Configuration] in programs that enqueue
    # @return [void]
    def configure_client
      yield default_configuration unless server?
    end

    # @yieldparam configuration [Configuration] in programs that work: now, or when a worker starts
    #   here
    # @return [void]
    def configure_server(&block)
      server? ? yield(default_configuration) : SETUP.server_blocks << block
    end

    # A dashboard loads parts of workers too, so the constant alone does not tell.
    # @return [Boolean] whether this is a process of `raffia work` or `raffia up`, or has a worker
    def server?
      Raffia::Jobs.const_defined?(:Worker, false) && Raffia::Jobs::Worker.method_defined?(:run)
    end

    # @param mode [Symbol, false] for arguments that JSON would change: :raise, :warn (and convert),
    #   or false (convert silently)
    # @return [void]
    def strict_args!(mode = :raise)
      default_configuration[:on_complex_arguments] = mode
    end

    # @return [Hash{String => Object}] options by default
    def default_job_options = SETUP.job_options

    # @param options [Hash]
    def default_job_options=(options)
      SETUP.job_options = {**default_job_options, **options.transform_keys(&:to_s)}.freeze
    end

    # @return [#with] connections to the Redis of the jobs
    def redis_pool = SETUP.connections

    # For the program's own data, when jobs are in Redis.
    # @yieldparam redis [RedisClient] with a method for each command, too
    # @return [Object] the block's value
    # @raise [NotProvided] when they are not
    def redis(&) = redis_pool.with(&)

    # @return [Logger]
    def logger = default_configuration.logger

    # @return [Object]
    def load_json(text) = JSON.parse(text)

    # @return [String]
    def dump_json(object) = JSON.generate(object)

    # @param mode [Symbol] :fake, :inline or :disable
    # @return [void]
    def testing!(mode = :fake, &)
      unless %i[fake inline disable].include?(mode)
        raise ArgumentError, "there are the modes fake, inline and disable, and not #{mode.inspect}"
      end

      require_relative "sidekiq/testing"
      Testing.public_send(:"#{mode}!", &)
    end

    # @return [Boolean]
    def pro? = false

    # @return [Boolean]
    def ent? = false
  end

  SETUP.attach
end
