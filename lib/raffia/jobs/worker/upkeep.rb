# frozen_string_literal: true

require_relative "chore"
require_relative "../recurring"

module Raffia
  module Jobs
    class Worker
      # What any worker does for all: moves what is due to its queue, enqueues what recurs, takes
      # over the jobs of workers that died, throws away what is old.
      #
      # @api private
      class Upkeep
        # Seconds between two looks at what is old.
        PRUNE = 600
        # Seconds after which the schedule is looked at: by a worker that waits for the store's
        # call, and by one that is too busy to hear it.
        QUIET = 15
        BUSY = 1

        # @param store [Store]
        # @param ticker [Recurring::Ticker]
        # @param patience [Patience]
        # @param log [Logger]
        # @param recover [Numeric] seconds between two looks for workers that died
        # @param keeper [Keeper]
        # @yield has suspects run, if there are some
        def initialize(store, ticker, patience, log, recover:, keeper:, &suspects)
          @store = store
          @log = log
          @keeper = keeper
          @suspects = suspects
          @promote = Chore.new(patience, longest: QUIET) { store.promote }
          @tick = Chore.new(patience, longest: QUIET) { ticker.call }
          # At once, too: whoever starts after a crash is often the one who has crashed.
          @recover = Chore.new(patience, longest: recover) { bring_back && vary(recover) }
          @prune = Chore.new(patience, longest: PRUNE, first: vary(PRUNE)) do
            store.prune && vary(PRUNE)
          end
        end

        # @return [Array<Chore>]
        def chores = [@promote, @tick, @recover, @prune]

        # The store has called, and it was not for something to claim.
        # @return [void]
        def stir
          @promote.stir
          @tick.stir
        end

        # There is so much to do that nobody waits for the store's call.
        # @return [void]
        def busy = @promote.stir(after: BUSY)

        private

        # A worker that has stood still itself must not take its own lease, nor those of others
        # here: first each of them shows a sign of life.
        def bring_back
          return @keeper.hurry if @keeper.late?

          @store.recover.each { |job| tell(job) }
          @suspects.call
          true
        end

        # Workers that began together must not come together each time.
        def vary(seconds) = seconds * (0.75 + rand / 4)

        def tell(job)
          facts = {event: job.dead ? "buried" : "recovered", jid: job.jid, queue: job.queue,
                   crashes: job.crashes}
          if job.dead
            @log.error(facts.merge(why: "its worker died under it once too often"))
          else
            @log.warn(facts)
          end
        end
      end
    end
  end
end
