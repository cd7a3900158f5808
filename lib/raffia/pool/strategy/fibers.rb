# frozen_string_literal: true

require_relative "../crew/fiber_crew"
require_relative "../crew/fiber_host"
require_relative "../seat"

module Raffia
  class Pool
    module Strategy
      # In fibers of one thread: thousands of waits at once, for the price of one thread. Code that
      # computes gains nothing.
      module Fibers
        # A fiber costs little; what is at its other end (a database, somebody's server) often does
        # not.
        WORKERS = 256

        module_function

        def workers(options) = options.workers || options.limit || WORKERS

        # Single items: while one waits, the next should be under way and not behind it.
        def target = 0.0

        def crew = FiberCrew

        # For pools that live on.
        def standing_crew = FiberHost

        # JRuby has fibers and hooks for a scheduler, but not all the waits of its core call them.
        def seats(plan, _input, _sizer, options)
          unless RUBY_ENGINE == "ruby"
            raise ConfigError, "on: :fibers needs a Fiber scheduler as CRuby has it, which this " \
              "Ruby (#{RUBY_ENGINE}) does not have: use on: :threads"
          end

          limited = plan.within(options.item_timeout)
          -> { Seat.new(limited) }
        end

        def portable? = true

        # Under the running scheduler if there is one, else in a run of its own. A blocking fiber
        # below a scheduler has neither: its thread cannot get a second scheduler, so there the run
        # goes to another thread.
        def around(&)
          return yield if ::Fiber.current_scheduler

          begin
            ::Fiber.scheduler ? run_beside(&) : run(&)
          rescue UncaughtThrowError => thrown
            # of the input, to a catch around the call: it is below the fibers of the run
            throw thrown.tag, thrown.value
          end
        end

        # What composes a loop and a scheduler lies above this room, and is called by name.
        def run
          unless Raffia.respond_to?(:run)
            raise ConfigError, "on: :fibers needs a Fiber scheduler: require \"raffia\", or call " \
              "it under the scheduler of your choice"
          end

          Raffia.run { yield }
        end

        def run_beside(&)
          thread = Thread.new { run(&) }
          thread.report_on_exception = false
          thread.value
        ensure
          thread&.kill&.join
        end
      end
    end
  end
end
