# frozen_string_literal: true

require_relative "../../jobs"

module Raffia
  module Integrations
    module ActiveJob
      # Runs an Active Job in a worker.
      class Wrapper
        include Job

        # Names of Sidekiq's wrapper class, since version 8 and before.
        NAMES = %w[Sidekiq::ActiveJob::Wrapper
          ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper].freeze
        KEY = :raffia_active_job
        private_constant :KEY

        # The wrapper of this fiber's job, nil: there is none.
        # @api private
        def self.current = Fiber[KEY]

        # Rails asks at the checkpoints of a job with steps.
        # @return [Boolean] whether the worker of this fiber's job stops
        def self.stopping?
          wrapper = current or return false
          wrapper.continuation&.checkpoint
          wrapper.stopping?
        end

        # @return [Boolean] whether the Active Job with this id runs in this fiber
        def self.runs?(id) = current&.id == id

        # @return [String, nil] id of the running Active Job
        attr_reader :id

        # @api private
        # @return [Continuation, nil]
        attr_reader :continuation

        # @param data [Hash] the serialized job
        # @return [Object]
        def perform(data)
          outer = Fiber[KEY]
          Fiber[KEY] = self
          @id = data["job_id"]
          data = data.merge("provider_job_id" => jid)
          @continuation = Continuation.of(data, run)
          @continuation ? go_on(data) : ::ActiveJob::Base.execute(data)
        ensure
          Fiber[KEY] = outer
        end

        private

        # A job with steps.
        def go_on(data)
          result = ::ActiveJob::Base.execute(@continuation.resume(data))
          @continuation.check
          @continuation.clear
          result
        rescue => error
          @continuation.save # the next try goes on from here
          raise error
        end
      end
    end
  end
end
