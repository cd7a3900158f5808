# frozen_string_literal: true

module SuckerPunch
  # Calls blocks after a delay, from one thread. A forked child starts without its parent's blocks.
  #
  # @api private
  class DelayQueue
    # Blocks of {Job::ClassMethods#perform_in}.
    def self.current = QUEUE

    def initialize
      reset
      Raffia::Fork.after_child { reset }
    end

    # The block must not wait.
    def add(seconds, &block) = @queue.add(block, seconds)

    private

    # An error in a block must not end the thread.
    def reset
      @queue = Raffia::Executor::DelayQueue.new do |block|
        block.call
      rescue => error
        SuckerPunch.logger.error("#{error.class} #{error}")
      end
    end

    QUEUE = new
    private_constant :QUEUE
  end
end
