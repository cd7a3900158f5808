# frozen_string_literal: true

require_relative "../../../pool/auto/thread_time"

module Raffia
  module Jobs
    class Worker
      class Executors
        # Measures one run where it is done.
        #
        # @api private
        class Meter
          ThreadTime = Pool::Auto::ThreadTime
          private_constant :ThreadTime

          # Seconds by the clock, nil before it was measured; of Ruby code; of C code without Ruby's
          # lock.
          attr_reader :wall, :ruby, :free

          # It held up the loop from its beginning to its end; nil on a thread.
          def held? = @held

          # On a thread nothing else is measured with it.
          def measure(&)
            ::Fiber.current_scheduler ? measure_in_fiber(&) : ThreadTime.watch { meter(&) }
          end

          private

          # The time is the job's alone if no other fiber had a turn meanwhile.
          def measure_in_fiber(&)
            switches = ::Fiber.current_scheduler.stats[:switches]
            meter(&)
          ensure
            @held = ::Fiber.current_scheduler.stats[:switches] == switches
          end

          def meter
            off_cpu = ThreadTime.off_lock.last
            cpu = ThreadTime.cpu
            began = Clock.now
            yield
          ensure
            @wall = Clock.now - began
            @free = ThreadTime.off_lock.last - off_cpu
            @ruby = [ThreadTime.cpu - cpu - @free, 0.0].max
          end
        end
      end
    end
  end
end
