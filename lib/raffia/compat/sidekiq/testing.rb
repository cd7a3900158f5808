# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "testing/job_class_methods"
require_relative "testing/mode"

module Sidekiq
  # Modes for tests of programs that enqueue jobs. Requiring it turns {fake!} on, as in Sidekiq.
  #
  # Without a block a mode applies to the process; with a block, to the running fiber and the fibers
  # and threads that it starts.
  module Testing
    class << self
      # Stores jobs in memory until they are drained.
      def fake!(&) = MODE.to(:fake, &)

      # Runs jobs as they are enqueued.
      def inline!(&) = MODE.to(:inline, &)

      # Stores jobs in the program's store.
      def disable!(&) = MODE.to(:disable, &)

      def fake? = MODE.current == :fake

      def inline? = MODE.current == :inline

      def disabled? = MODE.current == :disable

      def enabled? = !disabled?

      # Chain around jobs that are drained or run inline, where that of workers is not called.
      def server_middleware
        yield MODE.chain if block_given?
        MODE.chain
      end

      # @api private
      def real = MODE.real
    end
  end

  Job.extend(Testing::AllJobs)
  Job::ClassMethods.include(Testing::JobClassMethods)
  Testing.fake!
end
