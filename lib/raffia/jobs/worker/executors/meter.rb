# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../pool/auto/thread_time"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Measures one run where it is done.
        #
        # @api private
        class Meter
          # @return [Float, nil] seconds by the clock; nil before it was measured
          attr_reader :wall
          # @return [Float] seconds of Ruby code, and of C code without Ruby's lock
          attr_reader :ruby, :free

          # @return [Boolean] whether it held up the loop from its beginning to its end; only fibers
          #   can
          def held? = @held

          # On a thread nothing else is measured with it.
          def measure(&)
            return measure_here(&) if ::Fiber.current_scheduler

            Pool::Auto::ThreadTime.watch { meter(&) }
          end

          private

          # In a fiber the time tells of the job alone if no other had a turn meanwhile.
          def measure_here(&)
            switches = ::Fiber.current_scheduler.stats[:switches]
            meter(&)
          ensure
            @held = ::Fiber.current_scheduler.stats[:switches] == switches
          end

          def meter
            _, off_cpu = Pool::Auto::ThreadTime.off_lock
            cpu = Pool::Auto::ThreadTime.cpu
            began = Clock.now
            yield
          ensure
            @wall = Clock.now - began
            @free = Pool::Auto::ThreadTime.off_lock.last - off_cpu
            @ruby = [Pool::Auto::ThreadTime.cpu - cpu - @free, 0.0].max
          end
        end
      end
    end
  end
end
