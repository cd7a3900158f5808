# frozen_string_literal: true

require_relative "../../jobs"
require_relative "chain"

module Sidekiq
  # Chains, as Raffia calls middleware.
  #
  # @api private
  module Around
    # Those who enqueue.
    class Enqueue
      # @param chain [Middleware::Chain]
      def initialize(chain)
        @chain = chain
      end

      # @param item [Hash] the payload: it becomes what the chain returns
      # @return [Object, nil] nil keeps the job out
      def call(item, &)
        return yield if @chain.empty?

        kept = @chain.invoke(class_of(item["class"]), item, item["queue"], Sidekiq.redis_pool, &)
        item.replace(kept) if kept.is_a?(Hash) && !kept.equal?(item)
        kept
      end

      private

      # A class that only the workers have is a name here.
      def class_of(name)
        Object.const_defined?(name) ? Object.const_get(name) : name
      rescue NameError
        name
      end
    end

    # A job that is done where it is enqueued: what it raises is its caller's.
    class Inline
      # @param chain [Middleware::Chain]
      def initialize(chain)
        @chain = chain
      end

      # @return [Boolean]
      def empty? = false

      # @return [Object] what the outermost one returns; true where none says otherwise
      def call(job, item)
        @chain.invoke(job, item, item["queue"]) do
          yield
          true
        end
      end
    end

    # Those who work, and the handlers of errors.
    class Perform
      # @param configuration [Configuration]
      def initialize(configuration)
        @configuration = configuration
      end

      # @return [Object] what the outermost one returns
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
