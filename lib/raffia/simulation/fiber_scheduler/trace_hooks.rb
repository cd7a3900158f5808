# frozen_string_literal: true

module Raffia
  module Simulation
    class FiberScheduler < Scheduler::Portable
      # Adds the starts, waits and ends of fibers to the trace. Schedulers of runs without one are
      # not extended by it.
      #
      # @api private
      module TraceHooks
        def fiber(**, &block)
          starter = lane
          super do
            @world.note(:start, lane)
            @world.note(:switch, lane)
            block.call
          ensure
            @world.note(:end)
          end
        ensure
          @world.note(:switch, starter)
        end

        private

        def suspend(wait)
          own = lane
          @world.note(:wait, nil, reason(wait)) unless wait.settled?
          super
        ensure
          @world.note(:switch, own)
        end

        def lane = name(::Fiber.current) || @world.running.path

        def reason(wait)
          _, _, reason, subject, _, _, limit = wait.describe
          return "sleeps#{" #{limit} s" if limit}" if reason == :sleep

          "waits for #{subject ? subject.class.name.to_s.split("::").last : reason}"
        end
      end
    end
  end
end
