# frozen_string_literal: true

require_relative "../payload"
require_relative "backtrace"

module Raffia
  module Jobs
    class Worker
      # What becomes of a job that has failed: its class, its options and how often it has failed
      # before decide. The fields are Sidekiq's.
      #
      # @api private
      class Failure
        # How often a job is tried again when nothing is said: in about 20 days.
        RETRIES = 25
        # Characters of a message that are kept.
        MESSAGE = 10_000

        # @return [Symbol] :retry, :bury, :discard
        attr_reader :verdict
        # @return [Float, nil] when it is tried again, in seconds since 1970
        attr_reader :at
        # @return [Hash] the payload, with the failure in it
        attr_reader :item
        # @return [String] its bytes. What was small enough to come in may be a little larger now
        attr_reader :payload

        # @param item [Hash] the payload
        # @param error [Exception]
        # @param job [Class, nil] nil when there is none of that name
        # @param log [Logger]
        # @raise [StandardError] for a payload with fields that nobody should have written
        def initialize(item, error, job, log)
          @item = item.dup
          @error = error
          @job = job
          @log = log
          @item["retry"] = retry_of_class if @item["retry"].nil?
          note
          @payload = JSON.generate(@item)
          @verdict = decide
        end

        # @return [void]
        def tell_exhausted
          return if @verdict == :retry

          block = @job.on_exhausted if @job.respond_to?(:on_exhausted)
          block&.call(@item, @error)
        rescue => error
          @log.error({event: "on_exhausted failed", jid: @item["jid"],
            class: Payload.class_name(@item), error: error.full_message(highlight: false)})
        end

        # @return [String] what an error says, in bytes that JSON can say
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

        # Clients in other languages need not say it.
        def retry_of_class
          @job.respond_to?(:job_options) ? @job.job_options.fetch("retry", true) : true
        end

        def note
          count = @item["retry_count"]
          @item.update("error_message" => Failure.message(@error),
            "error_class" => @error.class.name || @error.class.to_s,
            "retry_count" => count ? count + 1 : 0,
            (count ? "retried_at" : "failed_at") => Payload.now)
          lines = @item["backtrace"] && @error.backtrace
          lines = lines.first(@item["backtrace"]) if lines && @item["backtrace"].is_a?(Integer)
          @item["error_backtrace"] = Backtrace.dump(lines) if lines
        end

        def decide
          return end_of_it(@item["retry"]) unless @item["retry"] && more?

          case (wish = own_pause)
          when :discard, :bury then wish
          when :kill then :bury # Sidekiq's word
          else
            @at = Time.now.to_f + (wish.is_a?(Numeric) ? wish : pause)
            :retry
          end
        end

        # A job that is not to be retried at all is not kept either.
        def end_of_it(wanted) = (wanted && @item["dead"] != false) ? :bury : :discard

        def more?
          seconds = @item["retry_for"]
          if seconds.is_a?(Numeric)
            return Time.now.to_f < Payload.time(@item["failed_at"]).to_f + seconds
          end

          @item["retry_count"] < (@item["retry"].is_a?(Integer) ? @item["retry"] : RETRIES)
        end

        def pause
          count = @item["retry_count"]
          (count**4) + 15 + rand(10 * (count + 1))
        end

        def own_pause
          block = @job.retry_in if @job.respond_to?(:retry_in)
          return block&.call(@item["retry_count"], @error) if block.nil? || block.arity == 2

          block.call(@item["retry_count"], @error, @item)
        rescue => error
          @log.error({event: "retry_in failed", jid: @item["jid"], class: Payload.class_name(@item),
            error: error.full_message(highlight: false)})
          nil
        end
      end
    end
  end
end
