# frozen_string_literal: true

module Raffia
  # One run of {Raffia.run} from its beginning to its end: the composition root, where scheduler, offload pool and scope meet.
  #
  # @api private
  class Session
    def initialize(backend)
      @scheduler = Scheduler.new(backend: backend, offload: method(:offload))
      @pool = nil
    end

    def run(&block)
      Fiber.set_scheduler(@scheduler)
      work = Fiber.schedule { attempt(&block) }
      wait_for(work)
      raise @error if @error
      @value
    ensure
      finish
    end

    private

    def attempt(&block)
      @value = within_time { Scope.open { |scope| block.call(@scope = scope) } }
    rescue Exception => error # standard:disable Lint/RescueException
      @error = error
    end

    # The caller's deadline is kept by its thread, which can only break into the loop; in here it has to be kept by the loop, for
    # the block as for the tasks, or these would end first and leave the block to think that they are done.
    def within_time(&)
      deadline = Raffia.deadline
      deadline ? deadline.enforce(&) : yield
    end

    def wait_for(work)
      @scheduler.run
    rescue Exception => interrupt # standard:disable Lint/RescueException
      # An interrupt of the thread, or an error of a fiber that nobody owns.
      @scope&.cancel(interrupt)
      drain(work)
      raise interrupt
    end

    def drain(work)
      @scheduler.run if work.alive?
      drained = true
    ensure
      @scheduler.terminate unless drained
    end

    # Threads are started only when something blocks. Setting the pool up reads files, which must not be offloaded in turn.
    def offload(&) = (@pool ||= Fiber.blocking { Pool::Offload.new }).call(&)

    def finish
      Fiber.set_scheduler(nil) if Fiber.scheduler.equal?(@scheduler)
    ensure
      @pool&.shutdown
    end
  end
end
