# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../task"

module Raffia
  module Jobs
    class Worker
      # The end of a worker: what has begun may end; what does not in time is interrupted, and goes
      # back to the front of its queue.
      #
      # @api private
      class Drain
        # Seconds that jobs have to end after they were interrupted, and the store has to hear of
        # what is done.
        GRACE = 3

        # @return [Boolean] whether no fiber but this one is left. The alarm is our scope's, and
        #   ends with it
        def self.alone?
          sleep(0) # for those who have been told to end just now
          scheduler = Fiber.scheduler
          scheduler.stats[:parked] <=
            (Alarm.of(scheduler).running? ? 1 : 0) + (Raffia::Run::Session.current&.residents || 0)
        end

        # @param runs [Runs]
        # @param acks [Acks]
        # @param log [Logger]
        def initialize(runs, acks, log)
          @runs = runs
          @acks = acks
          @log = log
        end

        # @param seconds [Numeric]
        # @yieldparam seconds [Numeric] waits for so long for a further order, or that there is
        #   nothing to wait for any more
        # @yieldreturn [Symbol, nil] :now when nobody wants to wait any longer
        # @return [void]
        def call(seconds, &)
          @log.info({event: "draining", jobs: @runs.size, seconds: seconds}) unless @runs.empty?
          wait(seconds, &)
          break_off unless @runs.empty?
          @acks.flush(GRACE) or
            @log.error({event: "not said",
              why: "the store does not answer: some of what is done will be done again"})
        end

        private

        def wait(seconds)
          finish = Clock.now + seconds
          until @runs.empty? || (left = finish - Clock.now) <= 0
            break if yield(left) == :now
          end
        end

        def break_off
          @log.warn({event: "interrupts", jobs: @runs.size,
            jids: @runs.to_a.first(20).map(&:jid).join(" ")})
          @runs.to_a.each { |run| run.interrupt(:stopping, by_force: true) }
          return if @runs.await_end(GRACE)

          @log.error({event: "gives up", jobs: @runs.size,
            why: "they do not let themselves be interrupted: others run them again"})
        end
      end
    end
  end
end
