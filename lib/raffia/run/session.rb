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

    def attempt
      @value = Scope.open do |scope|
        @scope = scope
        yield scope
      end
    rescue Exception => error # standard:disable Lint/RescueException
      @error = error
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
