# frozen_string_literal: true

require_relative "../base/optional"
require_relative "../jobs"

Raffia::Optional.gem("activejob", ">= 7.0", for: "the Active Job adapter", feature: "active_job")

require_relative "active_job/continuation"
require_relative "active_job/payload"
require_relative "active_job/options"
require_relative "active_job/wrapper"

module Raffia
  module Integrations
    # Runs Active Jobs as Raffia's jobs. Payloads are those of Sidekiq's adapter, so that its
    # workers can run them too.
    module ActiveJob
      Wrapper::NAMES.each { |name| Jobs::Setup.current.aliases[name] = Wrapper }
      ::ActiveSupport.on_load(:active_job) { extend Options }
      # Since Rails 8.1.
      ::ActiveSupport.on_load(:active_job_continuable) do
        Continuation.subscribe
        ::ActiveJob::Base.before_perform { |job| Wrapper.current&.continuation&.follow(job) }
      end
    end
  end
end
