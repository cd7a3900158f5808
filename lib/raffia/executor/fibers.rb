# frozen_string_literal: true

require_relative "fibers/background_group"
require_relative "fibers/worker_group"

module Raffia
  module Executor
    # In fibers of one thread: thousands of waits at once. Code that computes gains nothing.
    module Fibers
      # A fiber costs little; the database or server that it calls often does not.
      CAPACITY = 256

      module_function

      # JRuby has fibers and scheduler hooks, but not all the waits of its core call them.
      def check(_limits)
        return if RUBY_ENGINE == "ruby"

        raise ConfigError, "on: :fibers needs a Fiber scheduler as CRuby has it, which this Ruby " \
          "(#{RUBY_ENGINE}) does not have: use on: :threads"
      end

      def capacity(limits) = limits.workers || limits.limit || CAPACITY

      # Single calls: while one waits, the next should be under way and not behind it.
      def granularity = 0.0
      def in_caller? = false
      def local? = true
      def group = WorkerGroup
      def background_group = BackgroundGroup

      # Under the running scheduler if there is one, else in a run of its own. A blocking fiber
      # below a scheduler has neither, and its thread cannot get a second one, so the run goes to
      # another thread.
      def around(&)
        return yield if ::Fiber.current_scheduler

        begin
          ::Fiber.scheduler ? run_in_thread(&) : run(&)
        rescue UncaughtThrowError => thrown
          # Thrown by the input, to a catch around the call: that is below the fibers of the run.
          throw thrown.tag, thrown.value
        end
      end

      # The composition root of loop and scheduler lies above this component: called by name.
      def run
        unless Raffia.respond_to?(:run)
          raise ConfigError,
            "on: :fibers needs a Fiber scheduler: require \"raffia\", or call it " \
            "under the scheduler of your choice"
        end

        Raffia.run { yield }
      end

      def run_in_thread(&)
        thread = Thread.new { run(&) }
        thread.report_on_exception = false
        thread.value
      ensure
        thread&.kill&.join
      end
    end
  end
end
