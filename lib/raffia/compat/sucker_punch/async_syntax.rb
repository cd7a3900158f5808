# frozen_string_literal: true

require_relative "../sucker_punch"

module SuckerPunch
  # The older syntax: `LogJob.new.async.perform("signup")`.
  module Job
    # @return [AsyncProxy]
    def async = AsyncProxy.new(self)
  end

  # Proxy of {Job#async}.
  class AsyncProxy
    # @param job [Job]
    def initialize(job)
      @job = job
    end

    # A new object of the class runs the job.
    # @return (see Job::ClassMethods#perform_async)
    def perform(...) = @job.class.perform_async(...)
  end
end
