# frozen_string_literal: true

require_relative "jobs"

module PoolBench
  # Each driver says how a target maps items in one call (+map+), and what a pool of it is that
  # lives on (+living+; it has +map+ and +close+).
  module Drivers
    # A pool that lives on, from how it maps and how it ends.
    Living = Struct.new(:mapping, :ending) do
      def map(items) = mapping.call(items)

      def close = ending.call
    end

    # Raffia, on any strategy.
    class Raffia
      def initialize(on) = @on = on

      def map(items, job, workers)
        ::Raffia.map(items, on: @on, **count(workers), &Jobs::BLOCKS.fetch(job))
      end

      def living(job, workers)
        pool = ::Raffia::Pool.new(on: @on, workers: workers, &Jobs::BLOCKS.fetch(job))
        Living.new(pool.method(:map), pool.method(:shutdown))
      end

      private

      # It chooses its workers itself.
      def count(workers) = (@on == :auto) ? {} : {workers: workers}
    end

    # The gem parallel, which starts its workers anew in each call.
    class Parallel
      def initialize(way) = @way = way

      def map(items, job, workers)
        unless @way == :in_ractors
          return ::Parallel.map(items, @way => workers, &Jobs::BLOCKS.fetch(job))
        end

        ::Parallel.map(items, in_ractors: workers, ractor: [Jobs, job])
      end

      def living(job, workers) = Living.new(->(items) { map(items, job, workers) }, -> {})
    end

    # concurrent-ruby: futures on a fixed pool of threads.
    class Promises
      def map(items, job, workers)
        pool = living(job, workers)
        pool.map(items)
      ensure
        pool&.close
      end

      def living(job, workers)
        pool = Concurrent::FixedThreadPool.new(workers)
        block = Jobs::BLOCKS.fetch(job)
        Living.new(->(items) {
          items.map { |item| Concurrent::Promises.future_on(pool, item, &block) }.map(&:value!)
        },
          -> { pool.shutdown && pool.wait_for_termination })
      end
    end

    # One after the other, without anything.
    class Plain
      def map(items, job, _workers) = items.map(&Jobs::BLOCKS.fetch(job))

      def living(job, workers) = Living.new(->(items) { map(items, job, workers) }, -> {})
    end

    # Threads at a queue, as people write it.
    class PlainThreads < Plain
      def map(items, job, workers)
        block = Jobs::BLOCKS.fetch(job)
        results = Array.new(items.size)
        queue = Queue.new
        items.each_with_index { |item, index| queue << [item, index] }
        queue.close
        Array.new(workers) { Thread.new { work(queue, results, block) } }.each(&:join)
        results
      end

      private

      def work(queue, results, block)
        while (item, index = queue.pop)
          results[index] = block.call(item)
        end
      end
    end

    # An equal part of the items for each of so many workers, as people write it.
    class InParts < Plain
      def map(items, job, workers)
        size = [(items.size / workers.to_f).ceil, 1].max
        items.each_slice(size).map { |part| start(part, job) }.flat_map { |worker| value(worker) }
      end
    end

    # A fork for each part, whose results come through a pipe.
    class PlainForks < InParts
      private

      def start(part, job)
        reads, writes = IO.pipe
        pid = fork do
          reads.close
          writes.binmode.write(Marshal.dump(part.map(&Jobs::BLOCKS.fetch(job))))
          writes.close
          exit!
        end
        writes.close
        [pid, reads]
      end

      def value((pid, reads))
        Marshal.load(reads.binmode.read) # standard:disable Security/MarshalLoad
      ensure
        reads.close
        Process.wait(pid)
      end
    end

    # A Ractor for each part.
    class PlainRactors < InParts
      private

      def start(part, job)
        Ractor.new(part, job) { |items, name| items.map { |item| Jobs.public_send(name, item) } }
      end

      def value(ractor) = ractor.respond_to?(:take) ? ractor.take : ractor.value
    end
  end
end
