# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "../../pool"
require_relative "../../../raffia"

module SuckerPunch
  # Calls blocks after a while. One thread waits for all of them; a forked child has none of its
  # parent's.
  #
  # @api private
  class Later
    def initialize
      start_over
      Raffia::Fork.after_child { start_over }
    end

    # @param seconds [Numeric]
    # @yield must not wait
    # @return [void]
    def add(seconds, &block) = @pauses.add(block, seconds)

    private

    # What a block raises must not end the thread that the others wait for.
    def start_over
      @pauses = Raffia::Executor::DelayQueue.new do |block|
        block.call
      rescue => error
        SuckerPunch.logger.error("#{error.class} #{error}")
      end
    end
  end
end
