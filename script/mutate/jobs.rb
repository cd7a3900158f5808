# frozen_string_literal: true

module Mutate
  # Works through a list on some threads, each with a workspace of its own.
  class Jobs
    # @param number [Integer]
    def initialize(number)
      @number = number
    end

    # @yieldparam item [Object]
    # @yieldparam space [Workspace]
    # @yieldreturn [void]
    def call(items, &block)
      queue = Thread::Queue.new(items).close
      spaces = Array.new(@number) { Workspace.new }
      threads = spaces.map { |space| Thread.new { work(queue, space, &block) } }
      threads.each(&:join)
    ensure
      threads&.each(&:kill)&.each(&:join) # after Ctrl-C: each ends the tests that it runs
      spaces&.each(&:close)
    end

    private

    def work(queue, space)
      while (item = queue.pop)
        yield(item, space)
      end
    end
  end
end
