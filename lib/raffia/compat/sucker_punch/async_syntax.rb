# frozen_string_literal: true

require_relative "../sucker_punch"

module SuckerPunch
  # The older way to say it: `LogJob.new.async.perform("signup")`.
  module Job
    # @return [AsyncProxy]
    def async = AsyncProxy.new(self)
  end

  # What {Job#async} returns.
  class AsyncProxy
    # @param job [Job]
    def initialize(job)
      @job = job
    end

    # Another object than the one it was called on does it.
    # @return (see Job::ClassMethods#perform_async)
    def perform(...) = @job.class.perform_async(...)
  end
end
