# frozen_string_literal: true

module Simulations
  # Parts of the programs of models.
  class Program
    # @param sim [Raffia::Simulation::Handle]
    def initialize(sim)
      @sim = sim
    end

    attr_reader :sim

    # @return [Integer] below the count, drawn from the seed
    def choose(count) = sim.choose(count)

    # @return [Object] one of them
    def one_of(*values) = values[choose(values.size)]

    # @raise [Violation] unless the condition holds
    def check(condition, message)
      condition || raise(Violation, message)
    end

    def check_equal(expected, actual, message)
      check(expected == actual, "#{message}: #{actual.inspect} instead of #{expected.inspect}")
    end

    # Runs the blocks at the same time: as tasks of one thread, as threads, or as both, which the
    # run chooses. Returns their values when all have ended.
    def together(*blocks)
      case choose(3)
      when 0 then Raffia.run { |scope| in_tasks(scope, blocks).map(&:value) }
      when 1 then in_threads(blocks).map(&:value)
      else
        half = blocks.size / 2
        threads = in_threads(blocks.take(half))
        values = Raffia.run { |scope| in_tasks(scope, blocks.drop(half)).map(&:value) }
        threads.map(&:value) + values
      end
    end

    def in_tasks(scope, blocks) = blocks.map { |block| scope.spawn(&block) }

    def in_threads(blocks) = blocks.map { |block| Thread.new(&block) }

    # Raised by {#interrupt}.
    class Stop < StandardError
    end

    # A thread that runs the block, and may be interrupted where it waits; not between.
    def interruptible(&block)
      Thread.new do
        Thread.current.report_on_exception = false
        Thread.handle_interrupt(Stop => :on_blocking, &block)
      end
    end

    def interrupt(thread) = thread.raise(Stop)

    # Waits until these have ended.
    def ended(*threads) = threads.each { |thread| attempt(Stop) { thread.join } }

    # Runs the block and returns its value, or the error if it is of such a class.
    def attempt(*classes)
      yield
    rescue *classes => error
      error
    end

    # Whether the channel took the item within 2 ms.
    def put?(channel, item)
      channel.push(item, timeout: 0.002)
      true
    rescue Raffia::TimeoutError
      false
    end

    # The item that came within 2 ms, or nil.
    def taken(channel) = attempt(Raffia::TimeoutError) { return channel.pop(timeout: 0.002) } && nil

    # Items left in a channel.
    def rest(channel) = channel.size.times.map { channel.pop }

    # Some milliseconds, or none.
    def pause(milliseconds = 3) = choose(milliseconds + 1) / 1000.0

    # Waits; fibers and threads. Returns nil.
    def nap(seconds)
      seconds.zero? ? Thread.pass : Kernel.sleep(seconds)
      nil
    end

    # Lets others run, up to so many times.
    def passes(most) = choose(most).times { Thread.pass }

    # Virtual seconds that the block takes.
    def elapsed
      start = sim.now
      yield
      sim.now - start
    end

    # Virtual time is kept in nanoseconds; seconds of it are floats.
    def same_time?(one, other) = (one - other).abs < 1e-6
  end
end
