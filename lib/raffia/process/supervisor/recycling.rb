# frozen_string_literal: true

require_relative "../recycle_policy"

module Raffia
  module Process
    class Supervisor
      # Finds the workers that are to be replaced: each by the policy, and the largest one while all
      # together use too much memory.
      #
      # @api private
      class Recycling
        def initialize(settings)
          @policy = RecyclePolicy.new(max_age: settings.max_age, max_memory: settings.memory_limit,
            jitter: settings.jitter)
          @total = settings.total_memory
          @interval = settings.memory_interval
          @usages = {}.compare_by_identity
          @due = 0.0
        end

        def due(workers, now)
          return {} if now < @due || (@policy.unlimited? && !@total)

          @due = now + @interval
          @usages.keep_if { |worker, _| workers.include?(worker) }
          ready = workers.select(&:ready?)
          sizes = measure(ready)
          {**largest(sizes), **ready.to_h { |one| [one, reason(one, now, sizes[one])] }.compact}
        end

        private

        def measure(workers)
          return {} unless @policy.max_memory || @total

          workers.to_h { |worker| [worker, Memory.of(worker.pid)&.pss.to_i] }
        end

        def reason(worker, now, size)
          usage = @usages[worker] ||= @policy.track(worker.pid)
          usage.reason(0, age: worker.served(now), size: size)
        end

        def largest(sizes)
          sum = sizes.sum { |_, pss| pss }
          return {} unless @total && sum > @total

          {sizes.max_by { |_, pss| pss }.first =>
            "all workers have #{sum} bytes (PSS), the limit is #{@total}"}
        end
      end
    end
  end
end
