# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      class Autoscaler
        # Decides from samples of the workers whether there should be one more or one less. It knows
        # no clock, process or memory but those that it is given. docs/tuning.md has the rules.
        #
        # @api private
        class Policy
          # Mean share of a CPU above which workers are busy.
          BUSY = 0.8
          # Mean use that the others may come to have without the last worker.
          SPARE = 0.6
          # Seconds that requests wait at a worker that is behind.
          LATE = 0.02
          # Share of all CPUs in use above which more workers than CPUs would only compete.
          COMPETING = 0.5
          # NEEDED of the last TICKS must show the same need.
          TICKS = 3
          NEEDED = 2
          # Free memory, in sizes of the largest worker, that a further worker needs.
          MEMORY = 1.5
          # Times `shrink_after`: how long it waits at most after it has shrunk too early.
          LONGEST = 16
          # Part of `shrink_after` over which use is averaged.
          AVERAGED = 0.2

          # `change`: 1, -1, or 0 when a worker is needed and memory forbids it.
          Decision = Data.define(:change, :reason)

          def initialize(cpus:, shrink_after:)
            @cpus = cpus
            @shrink_after = shrink_after || Float::INFINITY
            @delay = @shrink_after
            @size = @shrunk_at = nil
            reset
          end

          # Forgets what it has seen: the workers are others now.
          def reset
            @needs = []
            @average = @seen_at = @quiet_since = nil
          end

          # Returns a {Decision}, or nil for no change. Yields before a growth for the free memory
          # and the size of the largest worker, in bytes or nil.
          def decide(now, samples, range, &memory)
            return if samples.empty?

            reset unless samples.size == @size
            @size = samples.size
            observe(now, samples)
            grow(now, range, &memory) || shrink(now, range)
          end

          private

          def observe(now, samples)
            @needs.push(need(samples))
            @needs.shift while @needs.size > TICKS
            average(now, mean(samples, &:use))
            @quiet_since = fewer_suffice?(samples) ? @quiet_since || now : nil
          end

          # Whether the others could do the work of the last one.
          def fewer_suffice?(samples)
            @needs.last.nil? && projected < SPARE && late(samples).size * 2 < @size - 1
          end

          def late(samples) = samples.map(&:wait).select { |wait| wait > LATE }

          # The need for another worker; nil: none.
          def need(samples)
            cpu = mean(samples, &:cpu)
            if @size < @cpus && cpu > BUSY
              return "each of #{@size} uses #{percent(cpu)} of a CPU on average"
            end

            late = late(samples)
            return if late.size * 2 < @size || (@size >= @cpus && cpu * @size > COMPETING * @cpus)

            "requests wait #{milliseconds(late.sum / late.size)} at #{late.size} of #{@size}"
          end

          def grow(now, range)
            return if @needs.compact.size < NEEDED || @size >= range.end

            free, largest = yield
            if free && largest && free < MEMORY * largest
              return Decision.new(0, "#{@needs.compact.last}, but only #{megabytes(free)} of " \
                "memory are free, and the largest has #{megabytes(largest)}")
            end

            delay_shrinking(now)
            Decision.new(1, @needs.compact.last)
          end

          def shrink(now, range)
            return if @size <= range.begin || @quiet_since.nil?
            return if now - @quiet_since < @delay

            waited = @delay
            @delay = @shrink_after if @shrunk_at # the last time was not too early
            @shrunk_at = now
            Decision.new(-1, "for #{waited} s, each of #{@size} was used for less than " \
              "#{percent(SPARE * (@size - 1) / @size)} on average")
          end

          # A worker that is needed again soon was ended too early. The next one stays for longer.
          def delay_shrinking(now)
            early = @shrunk_at && now - @shrunk_at < @delay
            @delay = [@delay * 2, @shrink_after * LONGEST].min if early
            @shrunk_at = nil
          end

          # Mean use of the others without the last worker.
          def projected = (@size > 1) ? @average * @size / (@size - 1) : Float::INFINITY

          def average(now, use)
            share = @seen_at ? (now - @seen_at) / (AVERAGED * @shrink_after) : 1
            @average = @average.to_f + (use - @average.to_f) * share.clamp(0, 1)
            @seen_at = now
          end

          def mean(samples, &) = samples.sum(&) / samples.size.to_f

          def percent(share) = "#{(share * 100).round} %"

          def milliseconds(seconds) = "#{(seconds * 1000).round} ms"

          def megabytes(bytes) = "#{bytes >> 20} MiB"
        end
      end
    end
  end
end
