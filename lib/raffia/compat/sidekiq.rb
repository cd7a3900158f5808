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

# The interface of the gem sidekiq by which programs define, enqueue and test jobs, over Raffia's
# jobs and any of its stores.
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
# and `raffia work -r ./jobs.rb` does it. Jobs are kept where RAFFIA_STORE says, else in the Redis
# of `config.redis` or REDIS_URL, else in SQLite. In Redis they are what Sidekiq has there, so its
# own processes may work beside ours.
module Sidekiq
  # Of the gem whose interface this is.
  VERSION = "8.1.7"
  MAJOR = 8
  SETUP = Setup.new
  private_constant :SETUP

  # Ends jobs that are not done in time at Sidekiq's shutdown. Here such jobs are interrupted in
  # another way, and go back to their queue.
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
    #   in this process
    # @return [void]
    def configure_server(&block)
      server? ? yield(default_configuration) : SETUP.for_servers << block
    end

    # A dashboard loads parts of workers, too.
    # @return [Boolean] whether this is a process of `raffia work` or `raffia up`, or has a worker
    def server?
      Raffia::Jobs.const_defined?(:Worker, false) && Raffia::Jobs::Worker.method_defined?(:run)
    end

    # @param mode [Symbol, false] what happens to arguments that JSON would not give back: :raise,
    #   :warn (they are kept as JSON has them), or false (the same, silently)
    # @return [void]
    def strict_args!(mode = :raise)
      default_configuration[:on_complex_arguments] = mode
    end

    # @return [Hash{String => Object}] options of jobs that say nothing
    def default_job_options = SETUP.job_options

    # @param options [Hash]
    def default_job_options=(options)
      SETUP.job_options = {**default_job_options, **options.transform_keys(&:to_s)}.freeze
    end

    # @return [#with] connections to the Redis that the jobs are in
    def redis_pool = SETUP.connections

    # For data of the program's own, where jobs are in Redis.
    # @yieldparam redis [RedisClient] with a method for each command, too
    # @return [Object] the block's value
    # @raise [NotProvided] where they are not
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
