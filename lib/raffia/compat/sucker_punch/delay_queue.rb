# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "../../pool"
require_relative "../../../raffia"

module SuckerPunch
  # Calls blocks after a delay, from one thread. A forked child begins without its parent's blocks.
  #
  # @api private
  class DelayQueue
    def initialize
      reset
      Raffia::Fork.after_child { reset }
    end

    # @param seconds [Numeric]
    # @yield must not wait
    # @return [void]
    def add(seconds, &block) = @queue.add(block, seconds)

    private

    # An error of a block must not end the thread.
    def reset
      @queue = Raffia::Executor::DelayQueue.new do |block|
        block.call
      rescue => error
        SuckerPunch.logger.error("#{error.class} #{error}")
      end
    end
  end
end
