# frozen_string_literal: true

require_relative "../../jobs"
require_relative "chain"

module Sidekiq
  # Runs Sidekiq's chains as middleware of Raffia.
  #
  # @api private
  module MiddlewareAdapter
    # Around each enqueue.
    class Enqueue
      # @param chain [Middleware::Chain]
      def initialize(chain)
        @chain = chain
      end

      # @param item [Hash] the payload: it becomes what the chain returns
      # @return [Object, nil] nil rejects the job
      def call(item, &)
        return yield if @chain.empty?

        kept = @chain.invoke(class_of(item["class"]), item, item["queue"], Sidekiq.redis_pool, &)
        item.replace(kept) if kept.is_a?(Hash) && !kept.equal?(item)
        kept
      end

      private

      # The name, if only workers have the class.
      def class_of(name)
        Object.const_defined?(name) ? Object.const_get(name) : name
      rescue NameError
        name
      end
    end

    # Around a job that runs where it is enqueued: its caller gets its errors.
    class Inline
      # @param chain [Middleware::Chain]
      def initialize(chain)
        @chain = chain
      end

      # @return [Boolean]
      def empty? = false

      # @return [Object] what the outermost link returns; true by default
      def call(job, item)
        @chain.invoke(job, item, item["queue"]) do
          yield
          true
        end
      end
    end

    # Around each run in a worker, with the error handlers.
    class Perform
      # @param configuration [Configuration]
      def initialize(configuration)
        @configuration = configuration
      end

      # @return [Object] what the outermost link returns
      def call(job, item, &)
        chain = @configuration.server_middleware
        chain.empty? ? yield : chain.invoke(job, item, item["queue"], &)
      rescue Job::Interrupted => interrupted
        raise Raffia::Jobs::Interrupted, interrupted.message
      rescue Raffia::Jobs::Interrupted, Raffia::Cancel, Raffia::Cancelled
        raise # no failures
      rescue Exception => error # standard:disable Lint/RescueException
        @configuration.handle_exception(error, {context: "Job raised exception", job: item})
        raise
      end
    end
  end
end
