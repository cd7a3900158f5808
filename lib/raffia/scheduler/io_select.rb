# frozen_string_literal: true

module Raffia
  class Scheduler
    # Waiting for several descriptors.
    #
    # @api private
    module IOSelect
      # Hook of IO.select.
      #
      # @param timeout [Numeric, nil] seconds
      # @return [Array<Array<IO>>, nil] what is ready; nil when the time was up
      def io_select(readables, writables = nil, exceptables = nil, timeout = nil)
        limit = timeout && Clock.now + interval(timeout)
        lists = [readables, writables, exceptables]
        until (found = select_now(lists))
          return if limit && Clock.now >= limit

          wait_for_any(lists, limit)
        end
        found
      end

      private

      # Ruby's own select knows what its buffers hold, and what `to_io` stands for.
      def select_now(lists)
        Fiber.blocking { IO.select(*lists, 0) }
      end

      def wait_for_any(lists, limit)
        operations = []
        park(false, lists.flatten.compact) do |wait|
          lists.zip([IO::READABLE, IO::WRITABLE, IO::PRIORITY]) do |list, event|
            list&.each { |object| operations << engine.arm(object.to_io, event, wait) }
          end
          operations << engine.after(limit - Clock.now, wait) if limit
          false
        end
      ensure
        operations.each { |operation| engine.disarm(operation) }
      end
    end
  end
end
