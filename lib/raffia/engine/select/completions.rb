# frozen_string_literal: true

module Raffia
  module Engine
    class Select
      # The completions of a {Select} that wait to be shifted, and the inbox of other threads.
      #
      # @api private
      class Completions
        # Result of the operation that was peeked at or shifted last.
        attr_reader :result

        def initialize
          @ready = []
          @inbox = Thread::Queue.new # thread-safe by itself
        end

        def push(operation) = @ready.push(operation)

        # May be called by any thread. Raises ClosedQueueError.
        def inject(operation) = @inbox.push(operation)

        def peek
          @ready.shift while @ready.first&.over
          first = @ready.first or return
          @result = first.result
          first.data
        end

        def shift
          data = peek
          first = @ready.first or return
          first.over = true
          @ready.shift
          data
        end

        def any? = !@inbox.empty? || !@ready.empty?

        # Moves the inbox to the ready ones, and returns their number.
        def collect
          @ready.push(@inbox.pop) until @inbox.empty?
          @ready.size
        end

        # Number of the ready ones.
        def size = @ready.size

        def close
          @inbox.close
          @ready.clear
        end
      end
    end
  end
end
