# frozen_string_literal: true

require_relative "../sucker_punch"

module SuckerPunch
  # The older syntax: `LogJob.new.async.perform("signup")`.
  module Job
    def async = AsyncProxy.new(self)
  end

  # Proxy of {Job#async}.
  class AsyncProxy
    def initialize(job)
      @job = job
    end

    # A new object of the class runs the job.
    def perform(...) = @job.class.perform_async(...)
  end
end
