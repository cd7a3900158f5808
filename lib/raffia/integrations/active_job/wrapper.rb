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

        # @return [Boolean] whether the worker of this fiber's job stops
        def self.stopping? = !!Fiber[KEY]&.stopping?

        # @return [Boolean] whether the Active Job with this id runs in this fiber
        def self.runs?(id) = Fiber[KEY]&.id == id

        # @return [String, nil] id of the running Active Job
        attr_reader :id

        # @param data [Hash] the serialized job
        # @return [Object]
        def perform(data)
          outer = Fiber[KEY]
          Fiber[KEY] = self
          @id = data["job_id"]
          ::ActiveJob::Base.execute(data.merge("provider_job_id" => jid))
        ensure
          Fiber[KEY] = outer
        end
      end
    end
  end
end
