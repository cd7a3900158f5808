# frozen_string_literal: true

require_relative "../memory"

module Raffia
  module Process
    class Supervisor
      # Which workers have grown too large or too old.
      #
      # @api private
      class Wear
        # @param settings [Settings]
        def initialize(settings)
          @limit = settings.memory_limit
          @total = settings.total_memory
          @interval = settings.memory_interval
          @max_age = settings.max_age
          @jitter = settings.jitter
          @ages = {}.compare_by_identity
          @due = 0.0
        end

        # @param workers [Array<WorkerProcess>]
        # @param now [Float]
        # @return [Hash{WorkerProcess => String}] with the reason
        def worn(workers, now)
          return {} if now < @due || !(@limit || @total || @max_age)

          @due = now + @interval
          @ages.keep_if { |worker, _| workers.include?(worker) }
          ready = workers.select(&:ready?)
          sizes = if @limit || @total
            ready.to_h { |worker| [worker, Memory.of(worker.pid)&.pss.to_i] }
          else
            {}
          end
          {**too_large_together(sizes),
            **ready.to_h { |worker| [worker, old(worker, now) || large(sizes[worker])] }.compact}
        end

        private

        # Ages differ, or workers that were started together would all leave together.
        def old(worker, now)
          return unless @max_age

          age = @ages[worker] ||= @max_age * (1 - @jitter * rand)
          "#{@max_age} s old" if worker.served(now) >= age
        end

        def large(pss)
          "#{pss} bytes (PSS), the limit is #{@limit}" if @limit && pss > @limit
        end

        # Then the largest goes; at the next look perhaps another.
        def too_large_together(sizes)
          sum = sizes.sum { |_, pss| pss }
          return {} unless @total && sum > @total

          {sizes.max_by { |_, pss| pss }.first => "all workers have #{sum} bytes (PSS), the " \
            "limit is #{@total}"}
        end
      end
    end
  end
end
