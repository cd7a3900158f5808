# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "testing/job_class_methods"
require_relative "testing/switch"

module Sidekiq
  # No job waits to be done.
  class EmptyQueueError < RuntimeError
  end

  # For the tests of programs that enqueue jobs. Requiring this turns {fake!} on, as Sidekiq's does.
  #
  # Without a block a mode is the whole process's, with one it is that of the running fiber and of
  # what it starts.
  module Testing
    SWITCH = Switch.new
    private_constant :SWITCH

    class << self
      # Jobs are kept, and not done until they are drained.
      # @return [Object] the block's value
      def fake!(&) = SWITCH.to(:fake, &)

      # Jobs are done as they are enqueued.
      # @return [Object] the block's value
      def inline!(&) = SWITCH.to(:inline, &)

      # Jobs go to the store of the program.
      # @return [Object] the block's value
      def disable!(&) = SWITCH.to(:disable, &)

      # @return [Boolean]
      def fake? = SWITCH.current == :fake

      # @return [Boolean]
      def inline? = SWITCH.current == :inline

      # @return [Boolean]
      def disabled? = SWITCH.current == :disable

      # @return [Boolean]
      def enabled? = !disabled?

      # @yieldparam chain [Middleware::Chain] around jobs that are drained or done inline: those of
      #   workers are not
      # @return [Middleware::Chain]
      def server_middleware
        yield SWITCH.chain if block_given?
        SWITCH.chain
      end

      # @return [Kept]
      # @api private
      def kept = SWITCH.kept

      # @return [Raffia::Jobs::Store] the program's
      # @api private
      def real = SWITCH.real

      # Does a job of any class.
      # @param item [Hash] the payload
      # @return [void]
      # @api private
      def process(item)
        job = Raffia::Jobs::Perform.job_class(item["class"])
        if job.respond_to?(:process_job)
          job.process_job(item)
        else
          Raffia::Jobs::Perform.call(item, Around::Inline.new(server_middleware))
        end
      end
    end
  end

  Job.extend(Testing::AllJobs)
  Job::ClassMethods.include(Testing::JobClassMethods)
  Testing.fake!
end
