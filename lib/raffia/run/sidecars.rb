# frozen_string_literal: true

require_relative "../base/clock"

module Raffia
  module Run
    # Starts and stops what runs beside the main work of a loop, such as a tree of actors: it starts
    # before the work and stops after it.
    #
    # @api private
    class Sidecars
      # Each block starts some, and returns them: objects with `stop` and `join`.
      def initialize(blocks, log)
        @blocks = blocks
        @log = log
        @all = @watchers = [].freeze
      end

      # Calls the block when one has ended by itself: the work should not continue without it.
      def begin(scope, &lost)
        @all = @blocks.flat_map { |block| [block.call].flatten.select { |one| stoppable?(one) } }
        @watchers = @all.map { |one| scope.spawn { watch(one, &lost) } }
        self
      end

      # Stops the last one first. After the time the others are stopped without waiting for them.
      def stop(seconds)
        @watchers.each { |task| task.cancel(:stop) }
        deadline = Clock.now + seconds if seconds
        @all.reverse_each do |one|
          one.stop
          one.join(deadline && [deadline - Clock.now, 0].max) or
            @log.error("#{one.inspect} did not end in its time")
        end
      end

      private

      def stoppable?(one) = one.respond_to?(:join) && one.respond_to?(:stop)

      def watch(one)
        one.join
        reason = ": #{Cancel.describe(one.reason)}" if one.respond_to?(:reason)
        @log.error("#{one.inspect} has ended, and so does this worker#{reason}")
        yield
      end
    end
  end
end
