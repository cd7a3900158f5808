# frozen_string_literal: true

require_relative "../../jobs/execution"
require_relative "middleware_adapter"
require_relative "client"

module Sidekiq
  module Job
    # A job class with options for one call: `MailJob.set(queue: "slow").perform_async(1)`.
    class Setter
      def initialize(job, options)
        @job = job
        @options = {}
        set(options)
      end

      def set(options)
        options = options.transform_keys(&:to_s)
        later = options.delete("wait_until") || options.delete("wait")
        @options.update(options)
        at(later) if later
        self
      end

      # Returns the job's id, or with `sync: true` the value of {perform_inline}.
      def perform_async(*args)
        return perform_inline(*args) if @options["sync"]

        @job.client_push({**@options, "class" => @job, "args" => args})
      end

      def perform_in(interval, *args) = at(interval).perform_async(*args)
      alias_method :perform_at, :perform_in

      def perform_bulk(args, **options)
        Client.push_bulk({**@options, **options.transform_keys(&:to_s), "class" => @job,
          "args" => args})
      end

      def perform_inline(*args)
        item = ItemCheck.checked({**@options.except("sync", "at"), "class" => @job,
          "args" => ItemCheck.arguments(@job, args)})
        draft = ItemCheck.translate { Raffia::Jobs.client.draft(item) } or return
        chain = MiddlewareAdapter::Inline.new(Sidekiq.default_configuration.server_middleware)
        true if Raffia::Jobs::Execution.call(Raffia::Jobs::Payload.load(draft.payload), chain)
      end
      alias_method :perform_sync, :perform_inline

      private

      def at(interval)
        time = ItemCheck.time(interval)
        time ? @options["at"] = time : @options.delete("at")
        self
      end
    end
  end
end
