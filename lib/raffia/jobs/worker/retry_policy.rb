# frozen_string_literal: true

require_relative "backtrace"

module Raffia
  module Jobs
    class Worker
      # Decides what happens to a failed job. The fields that it writes are Sidekiq's.
      # @api private
      class RetryPolicy
        # They take about 20 days.
        RETRIES = 25
        # Characters of an error message that are kept.
        MESSAGE = 10_000

        # :retry, :bury or :discard; the time of the next try, in seconds since 1970; and the
        # payload with the failure in it, which may exceed the limit for new jobs a little.
        attr_reader :verdict, :at, :payload

        # The job is nil when there is no class of that name. Raises StandardErrors for invalid
        # fields.
        def initialize(item, error, job, log)
          @item = item.dup
          @error = error
          @job = job
          @log = log
          @item["retry"] = retry_of_class if @item["retry"].nil?
          record_failure
          @payload = JSON.generate(@item)
          @verdict = decide
        end

        # The verdict in words for users: :retry, :dead or :discard.
        def outcome = (@verdict == :bury) ? :dead : @verdict

        # Calls the job's `on_exhausted` unless it is tried again.
        def call_exhausted
          return if @verdict == :retry

          block = @job.on_exhausted if @job.respond_to?(:on_exhausted)
          block&.call(@item, @error)
        rescue => error
          log_callback("on_exhausted failed", error)
        end

        # Valid UTF-8.
        def self.message(error)
          text = error.message.to_s
          unless text.encoding == Encoding::UTF_8
            text = text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace)
          end
          text.scrub[0, MESSAGE]
        rescue => failure
          "#{error.class}, whose message cannot be had (#{failure.class})"
        end

        private

        # Clients in other languages may leave it out.
        def retry_of_class
          @job.respond_to?(:job_options) ? @job.job_options.fetch("retry", true) : true
        end

        def record_failure
          count = @item["retry_count"]
          @item.update("error_message" => message,
            "error_class" => @error.class.name || @error.class.to_s,
            "retry_count" => count ? count + 1 : 0,
            (count ? "retried_at" : "failed_at") => Payload.now)
          lines = @item["backtrace"] && @error.backtrace
          lines = lines.first(@item["backtrace"]) if lines && @item["backtrace"].is_a?(Integer)
          @item["error_backtrace"] = Backtrace.dump(lines) if lines
        end

        # The message of an encrypted job's error is encrypted too, for it may hold arguments.
        def message
          text = RetryPolicy.message(@error)
          return text if !Encryption.sealed_in?(@item) || Redaction.open?(@item, @error)

          Encryption.seal_error(@item, text)
          Redaction::HIDDEN
        end

        def decide
          return exhausted(@item["retry"]) unless @item["retry"] && retries_left?

          case (wish = custom_delay)
          when :discard, :bury then wish
          when :kill then :bury # Sidekiq's word
          else
            @at = Time.now.to_f + (wish.is_a?(Numeric) ? wish : delay)
            :retry
          end
        end

        # A job that is never retried is not kept either.
        def exhausted(retries) = (retries && @item["dead"] != false) ? :bury : :discard

        def retries_left?
          seconds = @item["retry_for"]
          if seconds.is_a?(Numeric)
            return Time.now.to_f < Payload.time(@item["failed_at"]).to_f + seconds
          end

          @item["retry_count"] < (@item["retry"].is_a?(Integer) ? @item["retry"] : RETRIES)
        end

        def delay
          count = @item["retry_count"]
          (count**4) + 15 + rand(10 * (count + 1))
        end

        def custom_delay
          block = @job.retry_in if @job.respond_to?(:retry_in)
          return block&.call(@item["retry_count"], @error) if block.nil? || block.arity == 2

          block.call(@item["retry_count"], @error, @item)
        rescue => error
          log_callback("retry_in failed", error)
          nil
        end

        def log_callback(event, error)
          @log.error({event: event, jid: @item["jid"], class: Payload.class_name(@item),
            error: Redaction.message(@item, error, error.full_message(highlight: false))})
        end
      end
    end
  end
end
