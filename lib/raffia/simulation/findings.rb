# frozen_string_literal: true

module Raffia
  module Simulation
    # Faults at the end of a run whose block has returned: threads that are left, and
    # threads that ended with an error which nobody has seen.
    #
    # @api private
    class Findings
      def initialize(world, settings)
        @world = world
        @settings = settings
      end

      # The first one as an error, or nil.
      def error = unjoined || leak

      private

      def unjoined
        return if @settings.ignore?(:unjoined)

        thread = @world.threads.find(&:unjoined) or return
        error = thread.unjoined
        raise Unjoined, "thread #{thread.label}, started at #{thread.origin}, ended with " \
          "#{error.class}, and nobody called its join or value: #{error.message}",
          error.backtrace, cause: error
      rescue Unjoined => finding
        finding
      end

      def leak
        return if @settings.ignore?(:leaks)

        left = @world.teardown.left.reject(&:daemon)
        return if left.empty?
        return deadlock if @world.teardown.waits.deadlock

        number = (left.size == 1) ? "a thread was" : "#{left.size} threads were"
        Leak.new("#{number} left when the run had ended: #{left.map(&:label).join(", ")}. Join " \
          "or stop them, declare them by sim.daemon(thread), or ignore: [:leaks]." \
          "#{left.map { |thread| description(thread) }.join}")
      end

      def deadlock
        Deadlock.new("threads that were left when the run had ended wait for each other for ever:" \
          "#{@world.teardown.waits.deadlock}")
      end

      def description(thread)
        wait = @world.teardown.waits.waits[thread]
        "\n  #{thread.label}, started at #{thread.origin}\n#{wait}".chomp
      end
    end
  end
end
