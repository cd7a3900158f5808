# frozen_string_literal: true

require_relative "../../jobs"

module Sidekiq
  # Retry hooks and death handlers of job classes and the configuration, as Raffia's workers call
  # them.
  #
  # @api private
  module RetryHooks
    module_function

    # @param block [Proc, nil] of the class
    # @param count [Integer] of retries before
    # @param error [Exception]
    # @param item [Hash] the payload, with the failure in it
    # @return [Numeric, Symbol, nil] seconds, :discard, :kill; nil: default
    def wish(block, count, error, item)
      most = Sidekiq.default_configuration[:max_retries]
      return :kill if most && count >= most && item["retry"] == true && !item["retry_for"]

      wish = block&.call(count, error, item)
      item["discarded_at"] = Raffia::Jobs::Payload.now if wish == :discard
      return wish if wish.is_a?(Symbol)

      seconds = wish.to_f if wish.respond_to?(:to_f)
      seconds if seconds&.positive?
    end

    # The job will not be retried. Calls its hook, unless it never had retries or was discarded.
    # @param block [Proc, nil] of the class
    # @return [void]
    def exhausted(block, item, error)
      if block && item["retry"] && !item["discarded_at"]
        tell("retries_exhausted", item) { forget(item) if block.call(item, error) == :discard }
      end
      died(item, error)
    end

    # Calls the death handlers.
    # @return [void]
    def died(item, error)
      Sidekiq.default_configuration.death_handlers.each do |handler|
        tell("death handler", item) { handler.call(item, error) }
      end
    end

    class << self
      private

      # An error of one handler does not affect the others.
      def tell(whom, item)
        yield
      rescue => failure
        configuration = Sidekiq.default_configuration
        configuration.logger.error("#{whom} of #{item["class"]} failed: " \
          "#{failure.full_message(highlight: false)}")
        configuration.handle_exception(failure, {context: "Error calling #{whom}", job: item})
      end

      # It is the newest dead job, or nearly so.
      def forget(item)
        item["discarded_at"] = Raffia::Jobs::Payload.now
        store = Raffia::Jobs::Worker::Run.current.store
        store.delete(store.entries(:dead, match: item["jid"], limit: 10)
          .select { |entry| entry.jid == item["jid"] })
      end
    end
  end
end
