# frozen_string_literal: true

module Celluloid
  module Internals
    # A block that came with a call. It runs where the caller is: as a task of the caller's actor,
    # or in the caller's thread.
    #
    # @api private
    class SendersBlock
      def initialize(block, cell: nil, thread: nil)
        @block = block
        @cell = cell
        @thread = thread
      end

      # For actors that run such blocks themselves.
      def to_proc_here = @block

      # Waits for the value of the block, which runs at the caller.
      def to_proc = proc { |*values, **keywords| ask(values, keywords) }

      private

      def ask(values, keywords)
        task = ::Thread.current[:celluloid_task]
        if task.nil? || task.exclusive?
          return ::Raffia::Waiter.new.tap { |reply|
            send_off(BlockRun.new(reply, @block, values, keywords))
          }.wait
        end

        send_off(BlockRun.new(task.arm, @block, values, keywords))
        task.suspend(:invokeblock)
      end

      def send_off(run) = @thread ? @thread.ask(run) : @cell.begin_block(run)
    end

    # One run of such a block. Its errors are the caller's own: the actor's method is aborted.
    #
    # @api private
    class BlockRun
      def initialize(reply, block, values, keywords)
        @reply = reply
        @block = block
        @values = values
        @keywords = keywords
      end

      # A jump out of the block ends the call, too.
      def call
        value = @block.call(*@values, **@keywords)
        done = true
      rescue => error
        # the block may be one of another caller's
        @reply.fail(error.is_a?(AbortError) ? error : AbortError.new(error))
      ensure
        done ? @reply.settle(value) : self.fail
      end

      # The caller has gone.
      def fail(_error = nil)
        @reply.fail(AbortError.new(Error.new("the caller to whom this block belongs has gone")))
      end
    end

    # A thread that waits for an actor's answer, and runs its own blocks meanwhile.
    #
    # @api private
    class CallerThread
      def initialize
        @queue = ::Thread::Queue.new
      end

      def ask(run)
        @queue.push([:ask, run])
      rescue ClosedQueueError
        run.fail
      end

      def settle(value = nil) = finish(:answer, value)

      def fail(error) = finish(:error, error)

      def settled? = @queue.closed?

      # Yields when the answer has not come within the limit, in seconds.
      def serve(limit = nil)
        ends = ::Raffia::Clock.now + limit if limit
        loop do
          kind, value = @queue.pop(timeout: ends && [ends - ::Raffia::Clock.now, 0].max)
          case kind
          when :ask then value.call
          when :answer then return value
          when :error then raise value
          else yield
          end
        end
      ensure
        close
      end

      private

      def close
        @queue.close
        while (kind, value = @queue.pop)
          value.fail if kind == :ask
        end
      end

      def finish(kind, value)
        @queue.push([kind, value])
        @queue.close
        true
      rescue ClosedQueueError
        false
      end
    end
  end
end
