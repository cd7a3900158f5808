# frozen_string_literal: true

require_relative "../base/optional"
require_relative "../jobs"

Raffia::Optional.gem("activejob", ">= 7.0", for: "the Active Job adapter", feature: "active_job")

require_relative "active_job/payload"
require_relative "active_job/options"
require_relative "active_job/wrapper"

module Raffia
  module Integrations
    # Active Job's jobs as Raffia's. On the wire they are what Sidekiq's adapter makes of them, so
    # that its workers can run them too.
    module ActiveJob
      # What Sidekiq calls the job around an Active Job, from 8 on and before.
      NAMES = %w[Sidekiq::ActiveJob::Wrapper
        ActiveJob::QueueAdapters::SidekiqAdapter::JobWrapper].freeze

      NAMES.each { |name| Jobs::Setup.current.aliases[name] = Wrapper }
      ::ActiveSupport.on_load(:active_job) { extend Options }
    end
  end
end
