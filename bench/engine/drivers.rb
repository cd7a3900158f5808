# frozen_string_literal: true

module EngineBench
  # Runs work in fibers of a scheduler, as any program does: Fiber.set_scheduler, Fiber.schedule,
  # and run until nothing is left.
  class Fibers
    def initialize(scheduler)
      Fiber.set_scheduler(@scheduler = scheduler)
    end

    # Returns when the block, and everything that it has spawned, is over.
    def run(&)
      error = nil
      # Schedulers differ in what they do with an error that nobody rescues: some log it, some raise
      # it.
      Fiber.schedule { error = caught(&) }
      @scheduler.run
      raise error if error
    end

    def spawn(&) = Fiber.schedule(&)

    def close = Fiber.set_scheduler(nil)

    private

    def caught
      yield
      nil
    rescue => error
      error
    end
  end

  # The same on plain threads, without a scheduler.
  class Threads
    def run(&block)
      group = ThreadGroup.new
      first = Thread.new do
        group.add(Thread.current) # threads that it starts are in its group
        block.call
      end
      first.join
      group.list.each(&:join) until group.list.empty?
    end

    def spawn(&) = Thread.new(&)

    def close = nil
  end
end
