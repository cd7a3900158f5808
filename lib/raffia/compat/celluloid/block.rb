# frozen_string_literal: true

module Celluloid
  module Internals
    # A block that came with a call. It runs where the caller is: as a task of the caller's actor, or in the caller's thread.
    #
    # @api private
    class SendersBlock
      # @param cell [Cell, nil] the caller's actor
      # @param line [Line, nil] to the caller's thread
      def initialize(block, cell: nil, line: nil)
        @block = block
        @cell = cell
        @line = line
      end

      # @return [Proc] for actors that run such blocks themselves
      def to_proc_here = @block

      # @return [Proc] that waits for what the block returns there
      def to_proc = proc { |*values, **keywords| ask(values, keywords) }

      private

      def ask(values, keywords)
        task = ::Thread.current[:celluloid_task]
        return ::Raffia::Waiter.new.tap { |reply| run(reply, values, keywords) }.wait if task.nil? || task.exclusive?

        run(task.arm, values, keywords)
        task.suspend(:invokeblock)
      end

      def run(reply, values, keywords)
        work = -> { attempt(reply) { @block.call(*values, **keywords) } }
        @line ? @line.ask(work) : @cell.begin_task(:invoke_block, &work)
      end

      # What the block raises is the caller's own fault.
      def attempt(reply)
        reply.settle(yield)
      rescue => error
        reply.fail(AbortError.new(error))
      end
    end

    # From an actor to the thread that waits for its answer.
    #
    # @api private
    class Line
      def initialize
        @queue = ::Thread::Queue.new
      end

      # @raise [Error] when nobody is there any more
      def ask(work)
        @queue.push([:ask, work])
      rescue ClosedQueueError
        raise Error, "the caller to whom this block belongs has gone"
      end

      def settle(value = nil) = say(:answer, value)

      def fail(error) = say(:error, error)

      def settled? = @queue.closed?

      # @return [Object] the answer
      def serve
        loop do
          kind, value = @queue.pop
          case kind
          when :ask then value.call
          when :answer then return value
          else raise value
          end
        end
      ensure
        @queue.close
      end

      private

      def say(kind, value)
        @queue.push([kind, value])
        @queue.close
        true
      rescue ClosedQueueError
        false
      end
    end
  end
end
