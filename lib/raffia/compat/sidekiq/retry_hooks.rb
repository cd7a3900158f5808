# frozen_string_literal: true

module Sidekiq
  # Adapts the retry hooks and death handlers of programs to Raffia's workers.
  #
  # @api private
  module RetryHooks
    module_function

    # Calls a class's sidekiq_retry_in. Returns seconds, :discard, :kill, or nil for the default.
    def retry_in(block, count, error, item)
      most = Sidekiq.default_configuration[:max_retries]
      return :kill if most && count >= most && item["retry"] == true && !item["retry_for"]

      result = block&.call(count, error, item)
      item["discarded_at"] = Raffia::Jobs::Payload.now if result == :discard
      return result if result.is_a?(Symbol)

      seconds = result.to_f if result.respond_to?(:to_f)
      seconds if seconds&.positive?
    end

    # The job will not be retried. Calls the class's hook, unless the job had no retries or was
    # discarded, and then the death handlers.
    def exhausted(block, item, error)
      if block && item["retry"] && !item["discarded_at"]
        call_handler("retries_exhausted", item) do
          delete_dead(item) if block.call(item, error) == :discard
        end
      end
      died(item, error)
    end

    def died(item, error)
      Sidekiq.default_configuration.death_handlers.each do |handler|
        call_handler("death handler", item) { handler.call(item, error) }
      end
    end

    class << self
      private

      # Runs one handler. Its error is logged, and the other handlers still run.
      def call_handler(kind, item)
        yield
      rescue => failure
        configuration = Sidekiq.default_configuration
        configuration.logger.error("#{kind} of #{item["class"]} failed: " \
          "#{failure.full_message(highlight: false)}")
        configuration.handle_exception(failure, {context: "Error calling #{kind}", job: item})
      end

      # Deletes the job, which is among the newest dead ones.
      def delete_dead(item)
        item["discarded_at"] = Raffia::Jobs::Payload.now
        store = Raffia::Jobs::Worker::Run.current.store
        store.delete(store.entries(:dead, match: item["jid"], limit: 10)
          .select { |entry| entry.jid == item["jid"] })
      end
    end
  end
end
