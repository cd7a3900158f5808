# frozen_string_literal: true

module Raffia
  class Scheduler
    # One IO.select of a fiber.
    #
    # @api private
    class Selection
      EVENTS = [IO::READABLE, IO::WRITABLE, IO::PRIORITY].freeze
      private_constant :EVENTS

      def initialize(scheduler, lists, timeout)
        @scheduler = scheduler
        @lists = lists
        @deadline = timeout && Clock.now + scheduler.interval(timeout)
      end

      def wait
        until (ready = poll)
          return if @deadline && Clock.now >= @deadline

          park
        end
        ready
      end

      private

      # Ruby's own select knows what its buffers hold, and what `to_io` returns.
      def poll = Fiber.blocking { IO.select(*@lists, 0) }

      def park
        operations = []
        engine = @scheduler.engine
        @scheduler.park(false, @lists.flatten.compact) do |wait|
          @lists.zip(EVENTS) do |list, event|
            list&.each { |object| operations << engine.arm(object.to_io, event, wait) }
          end
          operations << engine.after(@deadline - Clock.now, wait) if @deadline
          false
        end
      ensure
        operations.each { |operation| @scheduler.engine.disarm(operation) }
      end
    end
  end
end
