# frozen_string_literal: true

module Raffia
  module Jobs
    # Tells the handlers of {Jobs.on_error} of a failed job.
    # @api private
    class ErrorReporter
      # Fields of a payload that handlers get: no arguments, which may be secret.
      FIELDS = %w[jid class wrapped queue retry retry_count created_at enqueued_at failed_at tags bid]
        .freeze

      def initialize(log, handlers = Setup.current.error_handlers)
        @log = log
        @handlers = handlers
      end

      # A handler that raises changes nothing else. The verdict is :retry, :dead or :discard.
      def call(error, item, verdict)
        return if @handlers.empty?

        job = item.slice(*FIELDS).freeze
        @handlers.each do |handler|
          handler.call(error, job, verdict)
        rescue StandardError, ScriptError => failure
          @log.error({event: "on_error failed", jid: job["jid"],
            error: failure.full_message(highlight: false)})
        end
      end
    end
  end
end
