# frozen_string_literal: true

module Raffia
  module Simulation
    # The text of a deadlock: which thread waits for what.
    #
    # @api private
    class WaitReport
      def initialize(world)
        @world = world
      end

      def to_s
        lines = @world.threads.select(&:alive?).map { |thread| "\n  #{line(thread)}" }
        "no thread can ever continue:#{lines.join}"
      end

      private

      def line(thread)
        wait = thread.wait or return "#{thread.label} runs"
        subject = " (#{wait.subject.class})" if wait.subject
        "#{thread.label} waits: #{wait.reason}#{subject}"
      end
    end
  end
end
