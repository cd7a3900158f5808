# frozen_string_literal: true

require_relative "chain"

module Sidekiq
  # Runs Sidekiq's middleware chains as Raffia's middleware.
  #
  # @api private
  module MiddlewareAdapter
    # Around each enqueue.
    class Enqueue
      def initialize(chain)
        @chain = chain
      end

      # Replaces the payload by what the chain returns; nil rejects the job.
      def call(item, &)
        return yield if @chain.empty?

        result = @chain.invoke(class_of(item["class"]), item, item["queue"], Sidekiq.redis_pool, &)
        item.replace(result) if result.is_a?(Hash) && !result.equal?(item)
        result
      end

      private

      # The name, when only workers have the class.
      def class_of(name)
        Object.const_defined?(name) ? Object.const_get(name) : name
      rescue NameError
        name
      end
    end

    # Around a job that runs where it is enqueued; the caller gets its errors.
    class Inline
      def initialize(chain)
        @chain = chain
      end

      def empty? = false

      # Returns what the outermost middleware returns, true by default.
      def call(job, item)
        @chain.invoke(job, item, item["queue"]) do
          yield
          true
        end
      end
    end

    # Around each run in a worker, with the error handlers.
    class Perform
      def initialize(configuration)
        @configuration = configuration
      end

      def call(job, item, &)
        chain = @configuration.server_middleware
        chain.empty? ? yield : chain.invoke(job, item, item["queue"], &)
      rescue Job::Interrupted => interrupted
        raise Raffia::Jobs::Interrupted, interrupted.message
      rescue Raffia::Jobs::Interrupted, Raffia::Cancel, Raffia::Cancelled
        raise # these are no failures
      rescue Exception => error # standard:disable Lint/RescueException
        @configuration.handle_exception(error, {context: "Job raised exception", job: item})
        raise
      end
    end
  end
end
