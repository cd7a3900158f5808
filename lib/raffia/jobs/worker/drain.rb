# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Graceful end of a worker: runs in progress may finish within the timeout. The others are
      # interrupted, and go back to the front of their queues.
      # @api private
      class Drain
        # Seconds for interrupted jobs to end, and for the store to take the last acknowledgements.
        GRACE = 3

        # Whether no fiber but this one is left. The alarm fiber is our scope's, and ends with it.
        def self.last_fiber?
          sleep(0) # fibers that were just cancelled end
          scheduler = Fiber.scheduler
          scheduler.stats[:parked] <=
            (Alarm.of(scheduler).running? ? 1 : 0) + (Raffia::Run::Session.current&.residents || 0)
        end

        def initialize(runner, acks, log)
          @runner = runner
          @acks = acks
          @log = log
        end

        # The block waits at most so many seconds for a command or the last run, and returns :now to
        # interrupt at once.
        def call(timeout, &)
          @log.info({event: "draining", jobs: @runner.size, seconds: timeout}) unless @runner.empty?
          wait(timeout, &)
          interrupt unless @runner.empty?
          return if @acks.flush(GRACE)

          @log.error({event: "acks not stored",
            why: "the store does not answer: some of what is done will be done again"})
        end

        private

        def wait(timeout)
          deadline = Clock.now + timeout
          until @runner.empty? || (left = deadline - Clock.now) <= 0
            break if yield(left) == :now
          end
        end

        def interrupt
          @log.warn({event: "interrupting", jobs: @runner.size,
            jids: @runner.to_a.first(20).map(&:jid).join(" ")})
          @runner.to_a.each { |run| run.interrupt(:stopping, by_force: true) }
          return if @runner.wait_until_idle(GRACE)

          @log.error({event: "jobs abandoned", jobs: @runner.size,
            why: "they do not let themselves be interrupted: others run them again"})
        end
      end
    end
  end
end
