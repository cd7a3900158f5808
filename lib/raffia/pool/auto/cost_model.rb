# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # Costs of the strategies, in seconds: orders of magnitude, measured on two cores (see
      # docs/performance.md). They decide whether little work is worth a start. The machine's own
      # {StartCost} of worker processes replaces these as soon as it is known.
      #
      # thread, ractor, fiber, loop:: to start and end one; a loop is a Fiber scheduler
      # fork:: a small process, from the fork to its first reply, and its end
      # fork_megabyte:: more, for each megabyte of memory
      # turn:: of a thread or fiber with one item
      # message:: an item on its way to and from a process or Ractor, without its bytes
      # byte:: one byte on that way, without its dump
      # load:: how much longer than the dump the loading takes
      # slow_ractor:: how much longer Ruby code takes in a Ractor without YJIT
      Costs = Data.define(:thread, :loop, :fiber, :fork, :fork_megabyte, :ractor, :turn, :message,
        :byte, :load, :slow_ractor) do
        def initialize(thread: 100e-6, loop: 500e-6, fiber: 15e-6, fork: 15e-3,
          fork_megabyte: 40e-6, ractor: 250e-6, turn: 1e-6,
          message: 1.5e-6, byte: 1.5e-9, load: 1.5, slow_ractor: 2.6)
          super
        end
      end

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

        # Only a trial, which may cost an item, shows whether its waits let other fibers run.
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

        # Seconds under the lock, in one thread, and on all processors, where nothing else of the
        # kind goes on.
        def locked = @count * (@work.ruby + @work.blocked)
        def alone = @count * (@work.cpu + @work.blocked)
        def spread = @count * @work.cpu / @machine.processors

        # Each worker takes one item after the other; the last ones end with some workers idle.
        def in_turns(workers, more = 0.0) = (@count.to_f / workers).ceil * (@work.total + more)

        # Beside short items the workers start one after the other while the caller works on
        # ({RampUp}), which hides half of it.
        def start_of(workers)
          one = @machine.worker(@costs)
          (@work.total < RampUp::LONG) ? one * (1 + Math.log2(workers)) / 2 : workers * one
        end

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

        # Few items may leave cores idle at the end: then some more workers share the cores.
        def few(workers)
          return workers if @count > workers * PROCESSES

          (workers..workers * 2).min_by { |more| shared_turns(more, 0.0) + more * 1e-6 }
        end

        # Enough to keep something busy all the time: the lock, or the processors.
        def waiting(most, locked:)
          bottleneck = [locked, @work.cpu / @machine.processors].max
          return most if bottleneck.zero?

          (@work.total / bottleneck).round.clamp([@machine.processors, most].min, most)
        end
      end
    end
  end
end
