# frozen_string_literal: true

module Raffia
  module Simulation
    # Runs the block of a simulated thread in the thread's main fiber.
    #
    # @api private
    class ThreadExecution
      # The main fiber.
      attr_reader :fiber

      def initialize(world, thread, arguments, &block)
        @world = world
        @thread = thread
        @fiber = ::Fiber.new(blocking: false) { execute(arguments, &block) }
      end

      # The thread's path, by which the exhaustive strategy knows it.
      def path = @thread.path

      # Ends the thread without running any more of it.
      def abandon
        @thread.settle(:abandoned)
        @thread.completion.disregard
        end_thread
      end

      # Ends the thread with the run: its `ensure` blocks run, and end at their first wait.
      def terminate
        @thread.scheduler&.terminate
        [@thread.fiber, @fiber].uniq.each { |fiber| fiber.kill if fiber.alive? }
      rescue ::Exception # standard:disable Lint/RescueException, Lint/SuppressedException
      ensure
        @thread.completion.reach
      end

      private

      def execute(arguments)
        catch(Interrupts::KILL) do
          @thread.interrupts.deliver(false)
          @world.thread_scheduler.enter
          @thread.completion.value = yield(*arguments)
        end
      rescue ::Exception => error # standard:disable Lint/RescueException
        @thread.completion.error = error
      ensure
        finish
      end

      def finish
        @thread.scheduler&.scheduler_close unless @world.closing?
      rescue ::Exception => error # standard:disable Lint/RescueException
        @thread.completion.error ||= error
      ensure
        end_thread
      end

      def end_thread
        @thread.completion.reach
        @world.thread_scheduler.ended(@thread)
      end
    end
  end
end
