# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "testing/job_class_methods"
require_relative "testing/mode"

module Sidekiq
  # No job waits.
  class EmptyQueueError < RuntimeError
  end

  # For tests of programs that enqueue jobs. Requiring it turns {fake!} on, as Sidekiq's does.
  #
  # Without a block a mode is the whole process's; with a block it is that of the running fiber and
  # of what it starts.
  module Testing
    MODE = Mode.new
    private_constant :MODE

    class << self
      # Stores jobs in memory until they are drained.
      # @return [Object] the block's value
      def fake!(&) = MODE.to(:fake, &)

      # Runs jobs as they are enqueued.
      # @return [Object] the block's value
      def inline!(&) = MODE.to(:inline, &)

      # Stores jobs in the program's store.
      # @return [Object] the block's value
      def disable!(&) = MODE.to(:disable, &)

      # @return [Boolean]
      def fake? = MODE.current == :fake

      # @return [Boolean]
      def inline? = MODE.current == :inline

      # @return [Boolean]
      def disabled? = MODE.current == :disable

      # @return [Boolean]
      def enabled? = !disabled?

      # @yieldparam chain [Middleware::Chain] around jobs that are drained or run inline; that of
      #   workers is not called
      # @return [Middleware::Chain]
      def server_middleware
        yield MODE.chain if block_given?
        MODE.chain
      end

      # @return [FakeStore]
      # @api private
      def fake_store = MODE.fake_store

      # @return [Raffia::Jobs::Store] the program's
      # @api private
      def real = MODE.real

      # Runs a job of any class.
      # @param item [Hash] the payload
      # @return [void]
      # @api private
      def process(item)
        job = Raffia::Jobs::Perform.job_class(item["class"])
        if job.respond_to?(:process_job)
          job.process_job(item)
        else
          Raffia::Jobs::Perform.call(item, MiddlewareAdapter::Inline.new(server_middleware))
        end
      end
    end
  end

  Job.extend(Testing::AllJobs)
  Job::ClassMethods.include(Testing::JobClassMethods)
  Testing.fake!
end
