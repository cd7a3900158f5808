# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # The time of the rest of the items on each strategy. A worker that waits leaves its processor
      # to others, so there are as many workers as keep the processors (or Ruby's lock) busy, within
      # bounds.
      class CostModel
        # The most threads, fibers, and processes for each core, that are started unasked.
        THREADS = 64
        FIBERS = 256
        PROCESSES = 4

        def initialize(measurement, machine, costs)
          @work = measurement
          @machine = machine
          @costs = costs
          @count = measurement.ahead
        end

        # Seconds.
        def seconds(strategy) = public_send(strategy, workers(strategy))

        def workers(strategy)
          return 1 if strategy == :inline

          [@machine.wanted || useful(strategy), @machine.most, @count].compact.min.clamp(1..)
        end

        def inline(_workers) = @count * @work.total

        def threads(workers)
          busy = @machine.lock ? [locked, spread].max : spread
          workers * @costs.thread + @count * @costs.turn + [busy, in_turns(workers)].max
        end

        # Whether an item waits as fibers can is known after a trial only, which may cost an item.
        def fibers(workers)
          start = @machine.scheduler ? 0.0 : @costs.loop
          start + workers * @costs.fiber + @count * @costs.turn + @work.total / 2 +
            [alone, in_turns(workers)].max
        end

        def processes(workers)
          # Replies are loaded here, one after the other.
          @machine.warmup + start_of(workers) + @count * @costs.message +
            [@count * travel, @count * @work.cpu / cores(workers),
              shared_turns(workers, travel)].max
        end

        def ractors(workers)
          slow = @machine.jit ? 1.0 : @costs.slow_ractor
          workers * @costs.ractor + @count * (@costs.message + travel) +
            in_turns(workers, @work.cpu * (slow - 1))
        end

        private

        # Seconds in which nothing else of its kind can go on: under the lock, in one thread, on all
        # processors.
        def locked = @count * (@work.ruby + @work.blocked)
        def alone = @count * (@work.cpu + @work.blocked)
        def spread = @count * @work.cpu / @machine.processors

        # Each worker takes one item after the other; the last ones end with some workers idle.
        def in_turns(workers, more = 0.0) = (@count.to_f / workers).ceil * (@work.total + more)

        # Beside short items the workers start one after the other while the caller works on, which
        # hides a half of it ({RampUp}).
        def start_of(workers)
          one = @machine.worker(@costs)
          (@work.total < RampUp::LONG) ? one * (1 + Math.log2(workers)) / 2 : workers * one
        end

        # As {in_turns}, but for workers that share the cores: the system lets each have a part of
        # one.
        def shared_turns(workers, more)
          rounds, rest = @count.divmod(workers)
          (rounds * round(workers) + (rest.zero? ? 0.0 : round(rest))) +
            @count.fdiv(workers).ceil * more
        end

        def round(workers) = [@work.total, workers * @work.cpu / @machine.cores].max
        def travel = @work.dump * @costs.load + (@work.bytes || 0) * @costs.byte
        def cores(workers) = [workers, @machine.cores].min

        def useful(strategy)
          case strategy
          when :threads
            if @machine.lock
              waiting(THREADS, locked: @work.ruby + @work.blocked)
            else
              waiting(THREADS, locked: 0.0)
            end
          when :fibers then FIBERS
          when :processes then few(one_for_each_core)
          else one_for_each_core
          end
        end

        def one_for_each_core
          (waiting(PROCESSES * @machine.cores, locked: 0.0) * @machine.cores /
            @machine.processors.to_f).ceil
        end

        # Few items end later when the last of them leave cores idle: then some workers more share
        # the cores.
        def few(workers)
          return workers if @count > workers * PROCESSES

          (workers..workers * 2).min_by { |more| shared_turns(more, 0.0) + more * 1e-6 }
        end

        # As many as it takes until something is busy all the time: the lock, or the processors.
        def waiting(most, locked:)
          bottleneck = [locked, @work.cpu / @machine.processors].max
          return most if bottleneck.zero?

          (@work.total / bottleneck).round.clamp([@machine.processors, most].min, most)
        end
      end
    end
  end
end
