# frozen_string_literal: true

require_relative "../sidekiq"
require_relative "../../jobs/testing"
require_relative "testing/of_a_class"
require_relative "testing/queues"
require_relative "testing/switch"

module Sidekiq
  # No job waits to be done.
  class EmptyQueueError < RuntimeError
  end

  # For the tests of programs that enqueue jobs. Requiring this turns {fake!} on, as Sidekiq's does.
  #
  # Without a block a mode is the whole process's, with one it is that of the running fiber and of what it starts.
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

      # @yieldparam chain [Chain] around jobs that are drained or done inline
      # @return [Chain]
      def server_middleware(&) = Sidekiq.default_configuration.server_middleware(&)

      # @return [Raffia::Jobs::Stores::Memory]
      # @api private
      def kept = SWITCH.kept
    end
  end

  Job.extend(Testing::OfAll)
  Job::ClassMethods.include(Testing::OfAClass)
  Testing.fake!
end
