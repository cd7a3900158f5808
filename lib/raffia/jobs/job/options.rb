# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../payload"

module Raffia
  module Jobs
    module Job
      # What is said once about all jobs of a class. Subclasses have it too, and may say otherwise.
      module Options
        # Those that stand in the payload as they are: Sidekiq knows them.
        PLAIN = %i[queue retry retry_for tags dead backtrace].freeze
        # Those that stand under "raffia", see {Jobs::Payload}.
        OWN = %i[priority expires_in timeout on unique unique_for on_conflict limit
          limit_key].freeze
        # Where a job may run.
        PLACES = %i[fibers threads ractors processes auto].freeze

        # @option given [String] :queue "default"
        # @option given [Boolean, Integer] :retry how often, at most, it is tried again: true is 25
        #   times, in about 20 days
        # @option given [Numeric] :retry_for seconds to go on trying, instead of a number
        # @option given [Boolean] :dead whether it is kept when it has failed for good
        # @option given [Boolean, Integer] :backtrace how many lines of it are kept: none
        # @option given [Array<String>] :tags for people
        # @option given [Integer] :priority higher ones come first within a queue, within 2**49: 0
        # @option given [Numeric] :expires_in seconds after which it is not begun any more
        # @option given [Numeric] :timeout seconds that one run may take
        # @option given [Symbol] :on where it runs: :fibers, :threads, :ractors, :processes, :auto
        # @option given [Symbol] :unique another one with the same class and arguments is kept out
        #   until this one has :start-ed or is :done, or for a :window of `unique_for` seconds
        # @option given [Numeric] :unique_for seconds after which it is unique no more
        # @option given [Symbol] :on_conflict :skip the new one, :raise {Jobs::NotUnique}, or
        #   :replace the one that waits
        # @option given [Integer] :limit how many with the same `limit_key` run at a time, in all
        #   processes
        # @option given [Proc] :limit_key from the arguments; by default all of the class have one
        # @return [Hash{Symbol => Object}] all that is set
        # @raise [ConfigError] for what there is not
        def options(**given)
          return own_options if given.empty?

          OptionCheck.options(self, given, own_options)
          @raffia_job_options = own_options.merge(given.transform_values { |value| kept(value) })
            .freeze
          @raffia_job_item = shareable(PayloadFields.plain(@raffia_job_options))
          @raffia_job_options
        end

        # @return [Hash] the part of a payload that is the same for all of the class
        # @api private
        def job_options = @raffia_job_item || inherited_job(:job_options) || {}.freeze

        # @return [Array(Symbol, Numeric)] where its jobs run, and how long they may take; nil: as
        #   the worker has it
        # @api private
        def job_place = options.values_at(:on, :timeout)

        # @yieldparam count [Integer] how often it was tried again before
        # @yieldparam error [Exception]
        # @yieldparam item [Hash] the payload, with the failure in it
        # @yieldreturn [Numeric, Symbol, nil] seconds until it is tried again; :discard, :bury; nil:
        #   as usual
        # @return [Proc, nil]
        def retry_in(&block)
          block ? @raffia_retry_in = block : (@raffia_retry_in || inherited_job(:retry_in))
        end

        # @yieldparam item [Hash] the payload of a job that has failed for good
        # @yieldparam error [Exception]
        # @return [Proc, nil]
        def on_exhausted(&block)
          if block
            @raffia_on_exhausted = block
          else
            @raffia_on_exhausted || inherited_job(:on_exhausted)
          end
        end

        private

        # Jobs enqueue jobs in other Ractors, too: what is said here must be readable there. Only
        # what is called cannot be made so.
        def kept(value) = value.respond_to?(:call) ? value : shareable(value)

        def shareable(value)
          defined?(::Ractor) ? ::Ractor.make_shareable(value, copy: true) : value.freeze
        end

        def own_options = @raffia_job_options || inherited_job(:options) || {}.freeze

        def inherited_job(name)
          (superclass.public_send(name) if is_a?(Class) && superclass.respond_to?(:job_options))
        end
      end
    end
  end
end

require_relative "option_check"
require_relative "payload_fields"
