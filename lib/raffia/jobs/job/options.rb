# frozen_string_literal: true

require_relative "option_check"
require_relative "payload_fields"

module Raffia
  module Jobs
    module Job
      # Options of all jobs of a class. Subclasses inherit them, and may override them.
      module Options
        # Values of `on:`.
        EXECUTORS = OptionCheck::EXECUTORS
        NONE = {}.freeze
        private_constant :NONE

        # @option given [String] :queue "default"
        # @option given [Boolean, Integer] :retry number of retries: true is 25, in about 20 days
        # @option given [Numeric] :retry_for seconds to retry, instead of a number
        # @option given [Boolean] :dead whether it is kept after the last failure
        # @option given [Boolean, Integer] :backtrace whether it is kept, or how many lines: none
        # @option given [Array<String>] :tags for people
        # @option given [Integer] :priority higher ones come first within a queue, within 2**49: 0
        # @option given [Numeric] :expires_in seconds after which it is not begun any more
        # @option given [Numeric] :timeout seconds of one run
        # @option given [Symbol] :on where it runs: :fibers, :threads, :ractors, :processes, :auto
        # @option given [Symbol] :unique rejects another job with the same class and arguments until
        #   this one has :start-ed or is :done, or for a :window of `unique_for` seconds
        # @option given [Numeric] :unique_for seconds after which it is not unique any more
        # @option given [Symbol] :on_conflict :skip the new job, :raise {Jobs::NotUnique}, or
        #   :replace the waiting one
        # @option given [Integer] :limit runs at a time with the same `limit_key`, in all processes
        # @option given [Proc] :limit_key from the arguments; by default one for the class
        # @option given [Integer, RateLimit, false] :rate starts in `per` seconds with the same
        #   `rate_key`, in all processes
        # @option given [Numeric] :per seconds
        # @option given [Proc, String] :rate_key from the arguments; by default one for the class
        # @option given [Symbol] :rate_style :window, at most `rate` starts in any `per` seconds, or
        #   :bucket, an even flow
        # @option given [Integer] :rate_burst starts that a full bucket allows at once: those
        #   of one second
        # @option given [Integer, Proc] :rate_cost starts that a job counts for, also from the
        #   arguments: 1
        # @option given [Proc, false] :fair_by from the arguments, whose job it is: those of a queue
        #   take turns
        # @option given [Numeric, Proc] :fair_weight turns of this one in a round, also from the
        #   arguments: 1
        # @option given [Boolean, Array<Integer>] :encrypt encrypts all arguments in the store, or
        #   those at these positions, from 0 up: needs {Jobs.keys=}
        # @option given [Boolean, Array<Integer>] :redact hides arguments on the dashboard, in
        #   `raffia jobs` and in logs
        # @return [Hash{Symbol => Object}] all options that are set
        # @raise [ConfigError] for an unknown or invalid option
        def options(**given)
          before = @raffia_job_options || inherited_job(:options) || NONE
          return before if given.empty?

          OptionCheck.options(self, given, before)
          @raffia_job_options = before.merge(given.transform_values { |value| shared(value) })
            .freeze
          @raffia_job_item = shareable(PayloadFields.plain(@raffia_job_options))
          @raffia_job_secrets = shareable(PayloadFields.secrets(@raffia_job_options))
          @raffia_job_options
        end

        # Fields of the payload that are the same for all jobs of the class.
        # @api private
        def job_options = @raffia_job_item || inherited_job(:job_options) || NONE

        # Fields under "raffia" about arguments to hide.
        # @api private
        def job_secrets = @raffia_job_secrets || inherited_job(:job_secrets) || NONE

        # Executor of its jobs and seconds of their timeout; nil: the worker's default.
        # @api private
        def job_executor = options.values_at(:on, :timeout)

        # @yieldparam count [Integer] of retries before
        # @yieldparam error [Exception]
        # @yieldparam item [Hash] the payload, with the failure in it
        # @yieldreturn [Numeric, Symbol, nil] seconds until the next try, :discard, :bury; nil: as
        #   Sidekiq does
        def retry_in(&block)
          block ? @raffia_retry_in = block : (@raffia_retry_in || inherited_job(:retry_in))
        end

        # @yieldparam item [Hash] the payload of a job that will not be retried
        # @yieldparam error [Exception]
        def on_exhausted(&block)
          return @raffia_on_exhausted = block if block

          @raffia_on_exhausted || inherited_job(:on_exhausted)
        end

        private

        # Ractors read options when they enqueue. Procs cannot be made shareable.
        def shared(value) = value.respond_to?(:call) ? value : shareable(value)

        def shareable(value)
          defined?(::Ractor) ? ::Ractor.make_shareable(value, copy: true) : value.freeze
        end

        def inherited_job(name)
          superclass.public_send(name) if is_a?(Class) && superclass.respond_to?(:job_options)
        end
      end
    end
  end
end
